// A stage of a program as a function of rows in registers.
#pragma once

#include <string>

#include "kernels/equation/fused/fused_program.h"
#include "kernels/equation/text/cuda_text.h"

namespace stencil::equation {

struct StageTextSetup {
    const FusedProgram& program;
    const CudaLines& lines;
    int columns = 1;  ///< of a lane
    bool float64 = false;
};

/// `template <bool kEdge> void stageN(a, place, step, newest, rows...)`: from the newest row of each array
/// that is live, the row before it and what is carried along, the row before of each array that is live after
/// it.
std::string stage_text(const StageTextSetup& setup, std::size_t stage);

/// `void lead(a, place, step, newest, rows...)`: the newest rows of a step's first level, in place.
std::string leading_text(const StageTextSetup& setup);

}  // namespace stencil::equation
