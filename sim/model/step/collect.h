// Factoring and hoisting: writes rates as sums of products whose uniform factors are computed once, and
// factors out components that several terms share. This takes fewer operations than the formula as typed.
#pragma once

#include <optional>

#include "sim/model/step/lowering.h"

namespace stencil::equation {

/// An amount that is added to a component: factor * rate.
struct Increment {
    Node rate;
    Node factor;    ///< uniform; multiplies the rate
    int component;  ///< whose rate it is; -1: no component's
    /// The array to whose value it is added; empty: the increment alone.
    std::optional<int> base;
    bool rounded;  ///< before it is added to the base: the sum is no multiply-add
};

/// Lowers base + factor * rate and returns its operation. Laplacians stay differences and the factor (dt)
/// multiplies the whole sum: distributed over the terms, their separate roundings would make flat fields
/// drift in float32.
int collected(Graph& graph, Lowering& lowering, const Increment& increment);

}  // namespace stencil::equation
