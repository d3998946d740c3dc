// Rates as sums of products whose uniform factors are worked out once and not for each cell, and what a
// component multiplies in several terms drawn together: fewer operations than the formula as it is typed.
#pragma once

#include <optional>

#include "sim/model/step/lowering.h"

namespace stencil::equation {

/// What is added to a component.
struct Increment {
    Node rate;
    Node factor;    ///< uniform: of the rate
    int component;  ///< whose rate it is; -1: of none
    /// The array of the value to which it is added; none: to nothing.
    std::optional<int> base;
};

/// The operation that is worth base + factor rate. Laplacians stay differences, and the factor, dt,
/// multiplies the whole sum: with either drawn into the terms' own factors, each rounded by itself, a flat
/// field or a state at rest would drift in float32, step by step.
int collected(Graph& graph, Lowering& lowering, const Increment& increment);

}  // namespace stencil::equation
