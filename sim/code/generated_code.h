// What becomes of a typed equation: its stages, and the code that steps it. No GPU and no compiler is needed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/methods/method.h"
#include "sim/run/run_spec.h"

namespace stencil {

struct CodeText {
    std::string name;      ///< with which TriedCode::name begins, or what it is
    std::string language;  ///< "CUDA", "C"; empty: none that a compiler knows
    std::string text;
};

struct GeneratedCode {
    std::string stages;     ///< equation::program_text()
    double operations = 0;  ///< equation::operations_of_cell()
    double bytes = 0;       ///< of a cell's components, read and written once
    std::vector<CodeText> texts;
    std::string why_single;  ///< why the GPU makes one step at a time; empty where it need not
};

/// Of a model that is general, on a field of the spec's size; that of CUDA for an H200. Throws InputError
/// where its stepper cannot step it.
GeneratedCode generated_code(const RunSpec& spec, Device device);

/// What the compiler says of a text of CUDA, for a compute capability of 9.0: the registers and spilled bytes
/// of its kernels at most. Takes 0.1 to 2 s; empty where there is no such compiler.
struct CompilerFigures {
    int registers = 0, spilled_bytes = 0;
};
std::optional<CompilerFigures> compiler_figures(const CodeText& text);

}  // namespace stencil
