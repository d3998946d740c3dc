// The error of a time step above the largest stable one.
#pragma once

#include "sim/text/error.h"

namespace stencil {

struct UnstableStep : InputError {
    using InputError::InputError;
};

}  // namespace stencil
