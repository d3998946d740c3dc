// Stages computed from windows (a thread's cells and their neighbours), for single-stage kernels and those of
// patches.
#pragma once

#include <string>

#include "kernels/equation/text/cuda_text.h"

namespace stencil::equation {

/// Defines Window (a thread's kRows x kColumns cells and those around them), Results, and finish(), which
/// computes ghost cells beyond a side. `a` may be any type with the Grid and lines of Arguments. Must follow
/// kRows, kColumns, kRowsGoOn, which says whether a row of a periodic field continues after its last cell,
/// and kWholePacks and kWholeBands, which say whether a side that is not periodic is always at that of a
/// thread's cells.
extern const char* const kWindowFunctions;

struct WindowSetup {
    const Program& program;
    const CudaLines& lines;
    bool float64 = false;
    /// The variables that hold the grid and lines of the step, and its uniforms.
    std::string moment = "a", uniforms = "a";
    /// Column and row of cell (k, l) of a thread whose first cell is (cx, cy).
    std::string x = "cx + l", y = "cy + k";
};

/// Calls finish() for the windows wN of all arrays N that the stage reads.
std::string finish_text(const WindowSetup& setup, const Stage& stage);

/// Computes the outputs r0, r1, ... from the windows.
std::string results_text(const WindowSetup& setup, const Stage& stage);

}  // namespace stencil::equation
