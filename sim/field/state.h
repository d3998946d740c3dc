// The state of a simulation: a model's fields at one step.
#pragma once

#include <utility>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// One field per component, all of one shape and precision, after `step` steps. Copying is explicit, by
/// clone().
struct State {
    State() = default;
    /// One component at step 0.
    State(Field field) { components.push_back(std::move(field)); }
    State(std::vector<Field> fields, long long at_step) : components(std::move(fields)), step(at_step) {}

    std::vector<Field> components;
    long long step = 0;

    State clone() const;
    State to(DType dtype) const;
};

}  // namespace stencil
