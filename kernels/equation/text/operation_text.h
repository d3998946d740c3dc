// Prints operations as CUDA C.
#pragma once

#include <string>

#include "kernels/equation/operations.h"

namespace stencil::equation {

/// Defines `Real` and the names that depend on the precision.
const char* cuda_precision(bool float64);
/// The functions that operations call; follows cuda_precision(). Those of a fast program are the hardware's
/// as far as it has them.
std::string cuda_functions(bool float64, bool fast);

/// A number by its bits in the precision.
std::string constant_text(double number, bool float64);
inline std::string operation_text(Code code, const std::array<std::string, 4>& args) {
    return filled_in(row_of(code)->c, args);
}

/// Appends a macro.
void define(std::string& text, const char* name, int value);
/// Appends formatted text of any length as printf does.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* form, ...);

}  // namespace stencil::equation
