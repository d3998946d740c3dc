// Sensitivities: forward (tangent linear) differentiation of the components by a parameter.
#pragma once

#include <string>

#include "sim/model/semantics.h"

namespace stencil::equation {

/// The name of a sensitivity: du_dF.
std::string sensitivity_name(const std::string& quantity, const std::string& parameter);

/// For each `sensitivity = F` of a text: adds for each component its derivative by F, as a component with
/// differentiated formula, initial value and conditions; stepping it gives the derivative of the discrete
/// steps, to rounding. Kinks (abs, min, floor, conditions) use the branch taken, derivatives without a value
/// (sqrt at 0) are 0, and random numbers stay fixed, and so does `inside`. Varying definitions get tangents
/// too. Throws TextError for what has no derivative.
void add_sensitivities(const Semantics& semantics, const Statements& statements, Equations& equations);

}  // namespace stencil::equation
