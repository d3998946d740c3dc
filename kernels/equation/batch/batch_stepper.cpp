#include "kernels/equation/batch/batch_stepper.h"

#include "kernels/equation/block/block_text.h"
#include "kernels/equation/fused/fused_shape.h"

namespace stencil::equation {

std::string why_no_batch(const Program& program, bool float64, FieldCells size, const GpuFacts& gpu) {
    if (std::string why = why_single_steps(program); !why.empty()) return why;
    if (program.globals > 0) return "values of the whole field are computed field by field";
    const FusedProgram fused(program);
    if (!block_shapes(fused, float64, size, gpu).empty()) return "";
    if (fused.of_time)
        return "inputs change with time, and a field does not fit a multiprocessor's registers";
    GpuFacts share = gpu;
    share.multiprocessors = 1;
    return fused_shapes(fused, float64, size, share).empty()
               ? "a field fits neither the registers of a multiprocessor nor its tiles"
               : "";
}

}  // namespace stencil::equation
