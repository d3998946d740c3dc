// Prints operations as CUDA C.
#pragma once

#include <array>
#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// Defines `Real` and the names that depend on the precision.
const char* cuda_precision(bool float64);
/// The functions that operations call; follows cuda_precision().
const char* cuda_functions();

/// A number by its bits in the precision.
std::string constant_text(double number, bool float64);
std::string operation_text(Code code, const std::array<std::string, 4>& args);

/// Appends formatted text as printf does, at most 600 characters.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* form, ...);

}  // namespace stencil::equation
