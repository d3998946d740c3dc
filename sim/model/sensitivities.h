// How components change with a parameter: the tangent linear equations of a text's own, by forward
// differentiation.
#pragma once

#include <string>

#include "sim/model/equations.h"

namespace stencil::equation {

/// The name of the derivative of a component by a parameter: du_dF.
std::string sensitivity_name(const std::string& component, const std::string& parameter);

/// Adds to each component that is of the text its derivative by the parameter `index`, a component whose
/// formula, start and conditions are the derivatives of the component's own: its steps are those of any
/// component, and what they give is the derivative of the steps, to rounding. Where a formula bends or jumps
/// (abs, min, floor, conditions), the branch taken is differentiated, and where a derivative has no value
/// (sqrt at 0, the angle of (0, 0)) it is 0; random numbers stay as they are.
/// Definitions that differ from cell to cell get theirs. Returns the name of the quantity whose condition at
/// a side cannot be differentiated, because a factor of it depends on the parameter; empty where there is
/// none.
std::string add_sensitivities(Equations& equations, int index);

}  // namespace stencil::equation
