// Cells of a stage, worked out from windows around them: what kernels that make one stage, and resident ones,
// are printed with.
#pragma once

#include <string>

#include "kernels/equation/text/cuda_text.h"

namespace stencil::equation {

/// A Window has a thread's kRows x kColumns cells and those around them, Results are made of it, and finish()
/// puts ghost cells where they lie beyond a side. `a` may be anything with the Grid and lines of Arguments.
/// After kRows, kColumns and kRowsGoOn: whether a row of a periodic field goes on behind its last cell.
const char* window_functions();

struct WindowSetup {
    const Program& program;
    const CudaLines& lines;
    bool float64 = false;
    /// What has the grid and lines of the step, and its uniforms.
    std::string moment = "a", uniforms = "a";
    /// The column and row of a thread's cells that (cx, cy) is the first of, with l and k for the others.
    std::string x = "cx + l", y = "cy + k";
};

/// Whether a stage reads an array's cells; with `around`, whether those of neighbours.
bool reads(const Stage& stage, int array, bool around = false);

/// Calls of finish() for the windows wN of all arrays N that the stage reads, around the cells from (cx, cy).
std::string finish_text(const WindowSetup& setup, const Stage& stage);

/// The values of the outputs, in r0 and so on, from the windows.
std::string results_text(const WindowSetup& setup, const Stage& stage);

}  // namespace stencil::equation
