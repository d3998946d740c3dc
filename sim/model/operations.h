// The table of operations on values of one cell, with all properties of each in one row.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <span>
#include <string_view>

#include "kernels/equation/builder.h"
#include "kernels/equation/elementary.h"
#include "kernels/equation/required.h"
#include "sim/model/expression.h"

namespace stencil::equation {

/// The value of an operation and its partial derivatives by the arguments.
struct Slopes {
    double value = 0;
    std::array<double, 3> partial{};
};

struct Signature {
    std::string_view name;
    int least = 0, most = 0;  ///< number of arguments
    bool yields = false;      ///< a text may use the name for a component, parameter or definition
};
inline constexpr bool kYields = true;

/// How a text writes an operation: as a function, or with an operator's sign if the name is empty. Given more
/// arguments than the operation has, a function applies it repeatedly.
struct Spelling {
    Signature function = {};
    std::string_view help = {};     ///< one line
    std::string_view example = {};  ///< uses the components u and v and the parameters D, a and b
    unsigned linear_in = 0;         ///< a bit for each argument in which the operation is linear
};

/// An operation to differentiate by a parameter, with the derivatives of its arguments.
struct Derivation {
    Graph& graph;
    Node node;                     ///< the operation
    Node a, b, c;                  ///< its arguments
    std::function<Node(Node)> of;  ///< returns the derivative of an argument

    Node zero() const { return graph.number(0); }
    /// The product of a factor with the derivative of an argument: 0 if the derivative is 0, even if the
    /// factor is infinite or NaN.
    Node product(Node factor, Node derivative) const;
    /// The product of a factor with the derivative of the first argument.
    Node times(Node factor) const { return product(factor, of(a)); }
    Node where(Node condition, Node yes, Node no) const;
    /// Defines a derivative as 0 where `value` is 0, because it has no value there (0/0 or 0*inf), as for
    /// sqrt(u) and u^p at 0 and the angle of (0, 0).
    Node unless_zero(Node value, Node derivative) const;
};

/// How the arguments of an operation continue beyond a side: mirrored with the sign 1 or -1; 0: not mirrored.
struct Mirrored {
    std::array<int, 3> sign{};
    std::array<bool, 3> zero{};  ///< arguments that are the number 0, which is both even and odd
};

/// What an operation needs to write its instructions.
struct Emitter {
    Builder& builder;
    Elementary functions;
    bool first_may_be_nan = true;  ///< whether the operation's first argument may be NaN
};

/// The instruction of an operation, or a function that writes several.
struct Instructions {
    using Write = int (*)(Emitter&, int a, int b, int c);
    constexpr Instructions(Code its_code, Write several = nullptr) : code(its_code), write(several) {}
    template <std::convertible_to<Write> F>
    constexpr Instructions(F several) : write(several) {}

    Code code = Code::constant;  ///< `constant`: it is not a single instruction
    Write write = nullptr;       ///< null: `code` alone
};

/// A row without one of the required members does not compile.
struct OpRow {
    Required<Op> op;
    Required<Spelling> spelling;
    Required<int> operands;
    Required<int> cost;  ///< estimated, in operations
    Required<Slopes (*)(double a, double b, double c)> at;
    /// The derivative by a parameter, as a formula.
    Required<Node (*)(const Derivation&)> derivative;
    /// The sign with which the result is mirrored beyond a side; 0 if it is neither even nor odd.
    Required<int (*)(const Mirrored&)> parity;
    Required<Instructions> instructions;
    /// Whether finite arguments give a finite result (overflow aside; a division by 0 is checked apart).
    Required<bool> keeps_finite;
    bool commutes = false;

    /// Whether it is folded if all arguments are numbers. Elementary functions are not, since the
    /// instructions may round differently.
    bool folds() const { return instructions->code != Code::constant && instructions->code != Code::select; }
};

std::span<const OpRow> operations();
/// The row of an operation; null for leaves, global values and operations that read neighbours.
const OpRow* row_of(Op op);

/// Whether the expression is a number, parameter, position or time, which are never NaN.
bool is_nan_free(const Graph& graph, Node node);

/// Writes the instructions of one operation, given those of its arguments.
int lowered(Builder& builder, bool float64, const Graph& graph, const Expression& e, std::array<int, 3> v);

}  // namespace stencil::equation
