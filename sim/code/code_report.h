// Metrics of generated code, for the window and the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/code/generated_code.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Explains GeneratedCode::operations.
inline constexpr std::string_view kOperationsCounted =
    "additions, multiplications, multiply-adds, divisions, roots, comparisons, choices and random numbers, "
    "one "
    "each; a sum of four neighbours is two, since its pairs serve two cells; reading and writing are not "
    "counted";

/// A kernel that is available. Values that were not measured are empty.
struct CodeRow {
    std::string name;
    std::optional<int> registers = {}, spilled_bytes = {}, blocks = {};
    std::optional<double> gcells_per_s = {};  ///< 0: does not fit the field
    bool used = false;
};

/// The kernels of the CUDA texts and the autotuned variants, by name.
std::vector<CodeRow> code_rows(const GeneratedCode& code, const ExecutionPath& way);

/// A summary such as "168 registers, none spilled, 2 blocks a multiprocessor, 1311 GCells/s", as far as it is
/// known; else "not measured".
std::string figures_text(const CodeRow& row);

}  // namespace stencil
