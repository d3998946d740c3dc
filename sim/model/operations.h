// The table of operations on values of one cell. Their derivatives as formulas are in sensitivities.cpp.
#pragma once

#include <array>

#include "kernels/equation/builder.h"
#include "kernels/equation/elementary.h"
#include "sim/model/expression.h"

namespace stencil::equation {

/// The value of an operation and its partial derivatives by the arguments.
struct Slopes {
    double value = 0;
    std::array<double, 3> partial{};
};

struct OpRow {
    Op op;
    /// The instruction; that of functions is `constant`, since they are expanded by elementary.h.
    Code code;
    int cost;  ///< estimated, in operations
    Slopes (*at)(double a, double b, double c);
    bool commutes = false;
    /// Folded if all arguments are numbers. Functions and `select` are not.
    bool folds() const { return code != Code::constant && code != Code::select; }
};

/// The row of an operation; null for leaves and for operations that read neighbours.
const OpRow* row_of(Op op);

/// Whether it is a number, parameter, position or time, of which none is NaN.
bool is_nan_free(const Graph& graph, Node node);

/// Emits one operation on the arguments' instructions, expanding functions into instructions.
int lowered(Builder& builder, bool float64, const Graph& graph, const Expression& e, std::array<int, 3> v);

}  // namespace stencil::equation
