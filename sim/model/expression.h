// Formulas as a hash-consed graph: equal expressions are one node, so common subexpressions are computed once
// and formulas can be compared by node number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/text/error.h"

namespace stencil::equation {

/// Index of an expression in its graph.
using Node = std::uint32_t;

enum class Op : std::uint8_t {
    // Leaves; `index` says which one.
    number,
    parameter,  ///< model parameter `index`
    component,  ///< current value of component `index`
    data,       ///< value of picture or array `index` at the cell
    random,     ///< uniform in [0, 1), a function of cell, step, seed and `index`
    unknown,    ///< the field that elliptic equation `index` is solved for, within that equation
    x,
    y,
    offset_x,  ///< offset from one cell to another, in kernels of convolutions
    offset_y,
    t,
    step,
    dt,
    past,  ///< dt divided by the previous step's dt; 0 if there was none
    spacing,
    columns,
    rows,
    limiter,  ///< 1; while the largest step is looked for, `index` halves, the most by which a limiter
              ///< multiplies a difference
    // Operations on values of one cell. Each has a row in operations.cpp.
    add,
    subtract,
    multiply,
    divide,
    negate,
    sqrt,
    abs,
    floor,
    minimum,
    maximum,
    exp,
    log,
    sin,
    cos,
    tanh,
    erf,
    atan2,
    power,  ///< a^b; for a < 0 multiplied by c, which is 1, -1 or NaN
    less,   ///< conditions have the value 1 or 0
    less_or_equal,
    equal,
    select,  ///< args: condition, value if it is not 0, value otherwise
    stored,  ///< the argument as an array whose ghost cells follow the conditions of definition `index`
    // Global values: of the argument over the whole field (or inside of `inside`) at the step's start.
    mean,
    total,  ///< sum of the argument over the field
    least,
    largest,
    solved,     ///< the field for which the left side of elliptic equation `index` plus the argument is 0
    convolved,  ///< the convolution of the argument with kernel `index`
    // Operations that read neighbours, for unit spacing.
    neighbour,      ///< the argument `column` and `row` cells away
    laplacian,      ///< n + s + e + w - 4 c
    laplacian9,     ///< 4 (n + s + e + w) + ne + nw + se + sw - 20 c, six times the Laplacian
    difference_x,   ///< e - w, twice the central derivative
    difference_y,   ///< s - n: y grows downwards
    difference_xx,  ///< e + w - 2 c
    difference_yy,  ///< n + s - 2 c
    difference_xy,  ///< se + nw - ne - sw, four times the derivative
    divergence,     ///< args D, g: twice the sum over the four faces of (D + D') (g' - g) / 2
    passes,         ///< 1; 0 if the neighbour is outside of `inside` and no condition at the edge is for the
                    ///< argument
};

/// Indices of Op::stored for arrays whose ghost cells follow no definition: beyond a side that is not
/// periodic they repeat the edge, or are mirrored with the opposite sign where the argument is mirrored.
/// Beyond the edge of `inside` the former repeat the cell, and the latter have the opposite sign.
enum : int { kRepeated = -1, kTurned = -2 };

/// Whether it is an operation on values of one cell.
constexpr bool is_of_cell(Op op) {
    return op >= Op::add && op < Op::stored;
}

constexpr bool reaches_neighbours(Op op) {
    return op >= Op::neighbour;
}

constexpr bool is_global(Op op) {
    return op >= Op::mean && op <= Op::largest;
}

/// Whether it is the Laplacian or a second derivative along an axis.
constexpr bool is_second_difference(Op op) {
    return op == Op::laplacian || op == Op::laplacian9 || op == Op::difference_xx || op == Op::difference_yy;
}

/// Whether it is an operation whose field needs all cells of its argument.
constexpr bool is_whole_field(Op op) {
    return op == Op::solved || op == Op::convolved;
}

/// Whether it belongs to elliptic equation `index`: the unknown within it, or its solution.
constexpr bool is_of_elliptic(Op op) {
    return op == Op::unknown || op == Op::solved;
}

struct Expression {
    Op op = Op::number;
    std::uint8_t count = 0;  ///< number of arguments
    std::int8_t column = 0, row = 0;
    int index = 0;
    double number = 0;
    std::array<Node, 3> args{};
};

/// The quantities that an expression depends on. They decide whether it is computed once, per column or row,
/// or per cell.
struct Dependence {
    bool column = false, row = false;  ///< on x, on y
    bool time = false;                 ///< on t or the step number
    bool cell = false;                 ///< on components, data or random numbers
    bool evolving = false;             ///< on components or random numbers
    bool random = false;
    bool global = false;  ///< on a global value, which only executors know
    /// Whether it is the same in every cell.
    bool uniform() const { return !column && !row && !cell; }
    Dependence& operator|=(const Dependence& other) {
        return *this = {column || other.column,
                        row || other.row,
                        time || other.time,
                        cell || other.cell,
                        evolving || other.evolving,
                        random || other.random,
                        global || other.global};
    }
};

/// Thrown if a graph is full: of a text's formulas, or of those that an integrator derives from them.
struct TooManyParts : InputError {
    TooManyParts();
};

class Graph {
  public:
    /// Limits of a graph's size and of an expression's depth; TooManyParts beyond them.
    static constexpr std::size_t kMaxNodes = 20'000;
    static constexpr int kMaxDepth = 2000;

    const Expression& operator[](Node node) const { return nodes_[node]; }
    std::size_t size() const { return nodes_.size(); }
    const Dependence& depends(Node node) const { return depends_[node]; }
    /// How many cells away the expression reads, along either axis. A global value has radius 0, whatever the
    /// radius of its argument.
    int radius(Node node) const { return radius_[node]; }

    // The functions below simplify on the way: they fold constants and collect uniform factors, which changes
    // results by rounding at most. 0 * f becomes 0 only if f is certainly finite for finite fields: no roots,
    // powers, logarithms or exponentials, and divisions only by constants and grid sizes.
    Node number(double value);
    Node leaf(Op op, int index = 0);
    Node make(Op op, std::initializer_list<Node> args);
    /// Copies an existing expression whose arguments were replaced.
    Node make(Expression expression);
    Node add(Node a, Node b);
    Node subtract(Node a, Node b);
    Node multiply(Node a, Node b);
    Node divide(Node a, Node b);
    /// If it is a quotient by a uniform divisor, or the negative of one, written as a division, so that whole
    /// quotients stay exact; any other expression unchanged.
    Node divided(Node a);
    Node negate(Node a);
    /// a^n by repeated squaring; n <= kMaxPower.
    Node power(Node a, int n);
    /// a^b, with 1 for b = 0; if a is negative, NaN unless b is whole.
    Node real_power(Node a, Node b);
    Node neighbour(Node a, int column, int row);
    /// Op::passes, for a field and the neighbour that many cells away.
    Node passes(Node a, int column, int row);
    Node stored(Node a, int definition);
    /// A global value. The mean, minimum or maximum of a uniform expression is that expression itself.
    Node global(Op op, Node a);
    Node solved(Node a, int equation);
    /// The convolution; 0 if the argument is 0.
    Node convolved(Node a, int kernel);
    /// Whether the expression contains offsets of kernels, also within global values.
    bool has_offsets(Node node) const;
    /// The expression with `from` replaced by `to`.
    Node replaced(Node node, Node from, Node to);

    static constexpr int kMaxPower = 1024;

    /// Calls visit(node) once for the node and for each expression below it; without `into_globals` not for
    /// the arguments of global values.
    template <class Visit>
    void walk(Node node, Visit&& visit, bool into_globals = true) const {
        std::vector<bool> seen(nodes_.size());
        std::vector<Node> open{node};
        while (!open.empty()) {
            const Node next = open.back();
            open.pop_back();
            if (seen[next]) continue;
            seen[next] = true;
            visit(next);
            const Expression& e = nodes_[next];
            if (is_global(e.op) && !into_globals) continue;
            open.insert(open.end(), e.args.begin(), e.args.begin() + e.count);
        }
    }

    std::optional<double> number_of(Node node) const;
    /// Whether it is 0 for all finite values of what it is made of, such as 0*exp(t).
    bool is_zero(Node node) const;

  private:
    /// Orders numbers by their bits, since NaN compares equal to nothing.
    struct Less {
        bool operator()(const Expression& a, const Expression& b) const;
    };
    Node insert(const Expression& expression);
    Node folded(Expression expression);
    /// Whether it is certainly not 0: numbers, grid sizes and their products.
    bool is_nonzero(Node node) const;

    std::vector<Expression> nodes_;
    std::vector<Dependence> depends_;
    std::vector<int> radius_, depth_;
    std::vector<bool> finite_;  ///< whether a node is finite if the components are
    std::map<Expression, Node, Less> nodes_by_expression_;
    std::map<Node, std::array<Node, 2>> quotients_;  ///< dividend and divisor of products with a reciprocal
};

}  // namespace stencil::equation
