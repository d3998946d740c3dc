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
    /// The array that holds the value it is added to; empty: only the increment is computed.
    std::optional<int> base;
    bool rounded;       ///< the increment is rounded before it is added to the base (no multiply-add)
    bool fast = false;  ///< of a program for method `fast`, in which fewer operations count more than digits
};

/// Lowers base + factor * rate and returns its operation. Laplacians stay differences and the factor (dt)
/// multiplies the whole sum: distributed over the terms, their separate roundings would make flat fields
/// drift in float32. A fast program has them distributed, and base and Laplacian's middle in the factor of
/// the component; what is lost by rounding that factor, the neighbours' coefficient makes up for.
int collected(Graph& graph, Lowering& lowering, const Increment& increment);

}  // namespace stencil::equation
