// Sensitivities: forward (tangent linear) differentiation of the components by a parameter.
#pragma once

#include <optional>
#include <string>

#include "sim/model/equations.h"

namespace stencil::equation {

/// The name of a sensitivity: du_dF.
std::string sensitivity_name(const std::string& component, const std::string& parameter);

/// A quantity, and whether its condition is one at the edge of `inside`, or at a side.
struct RefusedCondition {
    std::string quantity;
    bool at_edge = false;
};

/// Adds for each component its derivative by parameter `index`, as a component with differentiated formula,
/// initial value and conditions; stepping it gives the derivative of the discrete steps, to rounding. Kinks
/// (abs, min, floor, conditions) use the branch taken, derivatives without a value (sqrt at 0) are 0, and
/// random numbers stay fixed, and so does `inside`. Varying definitions get tangents too. Returns the
/// condition that cannot be differentiated because a factor in it changes with the parameter; else empty.
std::optional<RefusedCondition> add_sensitivities(Equations& equations, int index);

}  // namespace stencil::equation
