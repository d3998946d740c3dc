// Operations as CUDA C: what all generated kernels are printed with.
#pragma once

#include <array>
#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// `Real`, float or double, and the words that differ between them.
const char* cuda_precision(bool float64);
/// The functions that operations call, after cuda_precision().
const char* cuda_functions();

/// A number rounded to the precision, by its bits.
std::string constant_text(double number, bool float64);
/// An operation of values that have these names.
std::string operation_text(Code code, const std::array<std::string, 4>& args);

/// Appends as printf does, at most 600 characters.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* form, ...);

}  // namespace stencil::equation
