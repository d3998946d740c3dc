// Code generated for a typed equation: its stages and kernels. Needs no GPU and no compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/gpu_facts.h"
#include "kernels/methods/method.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"
#include "sim/user_kernel/occupancy.h"

namespace stencil {

struct CodeText {
    std::string name;      ///< prefix of TriedCode::name, or a title
    std::string language;  ///< "CUDA", "C"; empty for pseudocode
    std::string text;
    user_kernel::LaunchShape launch = {};  ///< threads and shared memory of a block, of CUDA text
    bool fast = false;                     ///< for method `fast`, whose compiler has other options
};

struct GeneratedCode {
    std::string stages;     ///< equation::program_text()
    double operations = 0;  ///< equation::operations_of_cell()
    double bytes = 0;       ///< memory traffic of a cell: its components, read and written once
    std::vector<CodeText> texts;
    std::string why_single;  ///< why the GPU makes one step at a time; empty if it fuses steps
};

/// Generates code for a general model on a field of the spec's size, CUDA code for that GPU. Throws
/// InputError if the time integrator cannot step the model.
GeneratedCode generated_code(const RunSpec& spec, Device device, const GpuFacts& gpu = gpu_facts());

/// Registers and spilled bytes (maxima over its kernels), and with these the occupancy, of a CUDA text,
/// compiled for a compute capability (90 is 9.0). Takes 0.1 to 2 s; empty without a compiler.
struct CompilerFigures {
    int registers = 0, spilled_bytes = 0;
    std::optional<user_kernel::Occupancy> occupancy = {};  ///< empty for an unknown compute capability
};
std::optional<CompilerFigures> compiler_figures(const CodeText& text, int compute_capability);

/// Explains GeneratedCode::operations.
inline constexpr std::string_view kOperationsCounted =
    "additions, multiplications, multiply-adds, divisions, roots, comparisons, choices and random numbers, "
    "one each; a sum of four neighbours is two, since its pairs serve two cells; reading and writing are not "
    "counted";

/// An available kernel. Values that were not measured are empty.
struct CodeRow {
    std::string name;
    std::optional<int> registers = {}, spilled_bytes = {}, blocks = {};
    std::optional<double> gcells_per_s = {};  ///< 0: does not fit the field
    std::optional<user_kernel::Occupancy> occupancy = {};
    bool used = false;
};

/// The kernels of the CUDA texts and the autotuned variants, by name; with the occupancy of those that were
/// timed, on a GPU of this compute capability.
std::vector<CodeRow> code_rows(const GeneratedCode& code,
                               const ExecutionPath& way,
                               int compute_capability = gpu_facts().capability);

/// A summary such as "168 registers, none spilled, 2 blocks a multiprocessor, 1311 GCells/s", as far as it is
/// known; else "not measured".
std::string figures_text(const CodeRow& row);

}  // namespace stencil
