// Generates a stage as a function of rows in registers.
#pragma once

#include <string>

#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

struct StageTextSetup {
    const FusedProgram& program;
    const CudaLines& lines;
    int columns = 1;  ///< per lane
    bool float64 = false;
};

/// `template <bool kEdge> void stageN(a, inputs, step, newest, rows...)`: computes the previous row of each
/// array that is live after the stage. It reads the carried values, and the newest and previous rows of the
/// arrays live before the stage.
std::string stage_text(const StageTextSetup& setup, std::size_t stage);

/// `void lead(a, inputs, step, newest, rows...)`: computes `leading` for the newest rows of a step, in place.
std::string leading_text(const StageTextSetup& setup);

}  // namespace stencil::equation
