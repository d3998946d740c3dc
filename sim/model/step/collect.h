// Rates as sums of products with uniform factors, which are worked out once and not for each cell: what a
// step adds up then takes two thirds of the operations of the formula as it is typed.
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
    bool from_base = false;  ///< the rate is worked out of that value itself
};

/// The operation that is worth base + factor rate. Where the component appears as a factor beside its own
/// Laplacian, all that it is multiplied by is drawn together, the middle of the Laplacian included, and
/// rounded together; where it does not, the differences stay as they are, so that what is flat stays flat to
/// the bit.
int collected(Graph& graph, Lowering& lowering, const Increment& increment);

}  // namespace stencil::equation
