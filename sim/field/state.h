// What a simulation computes: the fields of a model at one step.
#pragma once

#include <utility>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// One field per component of the model, all of one shape and precision, at the end of `step`. The built-in
/// diffusion has one component. Copies are spelled clone().
struct State {
    State() = default;
    /// Of one component at the start.
    State(Field field) { components.push_back(std::move(field)); }
    State(std::vector<Field> fields, long long at_step) : components(std::move(fields)), step(at_step) {}

    std::vector<Field> components;
    long long step = 0;

    State clone() const;
    State to(DType dtype) const;
};

}  // namespace stencil
