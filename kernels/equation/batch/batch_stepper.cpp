#include "kernels/equation/batch/batch_stepper.h"

#include "kernels/cuda/cuda_library.h"
#include "kernels/equation/block/block_text.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/operations.h"
#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/fused_program.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

std::string why_no_batch(const Program& program, bool float64, FieldCells size) {
    if (has_ghosts_of_globals(program))
        return "ghost cells depend on values of the whole field, for which the host waits";
    if (ceil_div(size.ny, cuda_block(program, float64).height()) > kCudaBlocksY)
        return "a field has too many rows";
    return program.linear.empty() ? "" : why_no_cufft();
}

BatchKind batch_kind(const Program& program, bool float64, FieldCells size, const GpuFacts& gpu) {
    if (!why_single_steps(program).empty() || program.globals > 0) return BatchKind::staged;
    const FusedProgram fused(program);
    if (!block_shapes(fused, float64, size, gpu).empty()) return BatchKind::block;
    GpuFacts share = gpu;
    share.multiprocessors = 1;
    return fused.of_time || fused_shapes(fused, float64, size, share).empty() ? BatchKind::staged
                                                                              : BatchKind::fused;
}

}  // namespace stencil::equation
