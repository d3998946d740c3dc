// Inputs as a JavaScript function, for pages that step a program.
#pragma once

#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The function (s, x, y) => [...] of the scalars and a position, which gives the inputs' outputs in float64.
/// It calls the functions of assets/web/arithmetic.js.
std::string script_text(const Inputs& inputs);

}  // namespace stencil::equation
