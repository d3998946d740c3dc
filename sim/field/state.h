// What a simulation computes: the fields of a model at one step.
#pragma once

#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// One field per component of the model, all of one shape and precision, at the end of `step`. The built-in
/// diffusion has one component. Copies are spelled clone().
struct State {
    std::vector<Field> components;
    long long step = 0;

    State clone() const;
};

}  // namespace stencil
