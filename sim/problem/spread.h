// Parameters that vary in space: one field then shows a range of them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/problem/run_spec.h"

namespace stencil {

/// A definition that is linear along one axis of the field, uniform along the other, and set by parameters.
struct Spread {
    std::string name;
    double first = 0, last = 0;  ///< at the field's two edges
    friend bool operator==(const Spread&, const Spread&) = default;
};
/// The first such definition of the model along the axis, 0: x, 1: y; axes are labelled with it.
std::optional<Spread> spread_along(const RunSpec& spec, std::size_t axis);

/// The run's text in which the parameter is a linear function of x or y. Its values at both edges, `range`,
/// are parameters: F_left and F_right, or F_top and F_bottom. Throws InputError for an unknown parameter.
std::string spread_text(const RunSpec& now,
                        std::string_view parameter,
                        std::size_t axis,
                        const std::array<double, 2>& range);

}  // namespace stencil
