// Sensitivities: forward (tangent linear) differentiation of the components by a parameter.
#pragma once

#include <string>

#include "sim/model/equations.h"

namespace stencil::equation {

/// The name of a sensitivity: du_dF.
std::string sensitivity_name(const std::string& component, const std::string& parameter);

/// Adds for each component its derivative by parameter `index`, as a component with differentiated formula,
/// initial value and conditions; stepping it gives the derivative of the discrete steps, to rounding. Kinks
/// (abs, min, floor, conditions) use the branch taken, derivatives without a value (sqrt at 0) are 0, and
/// random numbers stay fixed. Varying definitions get tangents too. Returns the quantity whose boundary
/// condition cannot be differentiated because a factor depends on the parameter; else empty.
std::string add_sensitivities(Equations& equations, int index);

}  // namespace stencil::equation
