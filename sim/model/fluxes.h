// Functions of texts in flux form: what leaves a cell enters its neighbour.
#pragma once

#include <string_view>
#include <vector>

#include "sim/model/semantics.h"

namespace stencil::equation {

using Args = std::vector<Value>;

/// Refuses what is no vector.
void require_vector(Semantics& m, const Value& value, std::string_view function);

// Each takes a call and its arguments.
Value divergence(Semantics& m, const Syntax& call, const Args& v);
Value limited_advection(Semantics& m, const Syntax& call, const Args& v);
Value rusanov(Semantics& m, const Syntax& call, const Args& v);

}  // namespace stencil::equation
