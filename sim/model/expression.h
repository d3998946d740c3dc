// Formulas as a graph in which every expression stands once (hash-consing): what is typed twice is computed
// once, and two formulas are the same where their numbers are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stencil::equation {

/// An expression's place in its graph.
using Node = std::uint32_t;

enum class Op : std::uint8_t {
    // Without arguments; `index` says which.
    number,
    parameter,  ///< of the model
    component,  ///< its present value
    data,       ///< a picture's or array's value at the cell
    random,     ///< uniform in [0, 1): of cell, step, seed and `index`
    x,
    y,
    t,
    step,
    dt,
    spacing,
    columns,
    rows,
    // Of one cell.
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
    atan2,
    power,  ///< a^b; c is what it is multiplied by where a < 0: 1, -1 or NaN
    less,   ///< 1 or 0, as all conditions
    less_or_equal,
    equal,
    select,  ///< of (condition, where it is not 0, else)
    stored,  ///< the argument, in an array whose ghost cells follow the conditions of definition `index`
    // Of a cell and its neighbours, for unit spacing.
    neighbour,      ///< the argument `column`, `row` further on
    laplacian,      ///< n + s + e + w - 4 c
    laplacian9,     ///< 4 (n + s + e + w) + ne + nw + se + sw - 20 c, six times the Laplacian
    difference_x,   ///< e - w, twice the central derivative
    difference_y,   ///< s - n: y grows downwards
    difference_xx,  ///< e + w - 2 c
    difference_yy,  ///< n + s - 2 c
    difference_xy,  ///< se + nw - ne - sw, four times the derivative
    divergence,     ///< of (D, g): twice the sum over the faces of (D + D') (g' - g) / 2
};

constexpr bool reaches_neighbours(Op op) {
    return op >= Op::neighbour;
}

struct Expression {
    Op op = Op::number;
    std::uint8_t count = 0;  ///< of the arguments
    std::int8_t column = 0, row = 0;
    int index = 0;
    double number = 0;
    std::array<Node, 3> args{};
};

/// What an expression depends on, from what is the same everywhere to what differs from cell to cell.
struct Dependence {
    bool column = false, row = false;  ///< on x, y alone
    bool time = false;                 ///< on t or the step
    bool cell = false;                 ///< on components, data, random numbers
    bool evolving = false;             ///< on components or random numbers
    bool random = false;
    bool uniform() const { return !column && !row && !cell; }
};

class Graph {
  public:
    /// A graph has at most this many expressions, each of at most this depth; beyond, std::length_error is
    /// thrown.
    static constexpr std::size_t kMaxNodes = 20'000;
    static constexpr int kMaxDepth = 2000;

    const Expression& operator[](Node node) const { return nodes_[node]; }
    std::size_t size() const { return nodes_.size(); }
    const Dependence& depends(Node node) const { return depends_[node]; }
    /// How many cells away its values reach, in either direction.
    int radius(Node node) const { return radius_[node]; }

    // Simplified where no value of a field can differ by more than rounding: constants are folded, uniform
    // factors drawn together. A product with 0 is 0 where the other factor is surely finite, as long as the
    // field is: made of components, parameters, places, random numbers and finite constants without roots,
    // powers, logarithms and exponentials, and divided by constants and sizes alone.
    Node number(double value);
    Node leaf(Op op, int index = 0);
    Node make(Op op, std::initializer_list<Node> args);
    /// One that is there already, of other arguments.
    Node make(Expression expression);
    Node add(Node a, Node b);
    Node subtract(Node a, Node b);
    Node multiply(Node a, Node b);
    Node divide(Node a, Node b);
    Node negate(Node a);
    /// a^n by repeated squaring; n <= kMaxPower.
    Node power(Node a, int n);
    /// a^b, 1 where b is 0; of a negative a a number where b is a whole number, else NaN.
    Node real_power(Node a, Node b);
    Node neighbour(Node a, int column, int row);
    Node stored(Node a, int definition);

    static constexpr int kMaxPower = 1024;

    /// Calls visit(expression's node) for the node and all that it is made of, once each.
    template <class Visit>
    void walk(Node node, Visit&& visit) const {
        std::vector<bool> seen(nodes_.size());
        std::vector<Node> open{node};
        while (!open.empty()) {
            const Node next = open.back();
            open.pop_back();
            if (seen[next]) continue;
            seen[next] = true;
            visit(next);
            const Expression& e = nodes_[next];
            open.insert(open.end(), e.args.begin(), e.args.begin() + e.count);
        }
    }

    std::optional<double> number_of(Node node) const;

  private:
    /// Numbers are ordered by their bits: NaN, of which there is one, would be equal to all.
    struct Less {
        bool operator()(const Expression& a, const Expression& b) const;
    };
    Node insert(const Expression& expression);
    Node folded(Expression expression);
    /// Whether it is surely no 0: numbers and sizes, and products of them.
    bool is_nonzero(Node node) const;

    std::vector<Expression> nodes_;
    std::vector<Dependence> depends_;
    std::vector<int> radius_, depth_;
    std::vector<bool> finite_;  ///< where the components are
    std::map<Expression, Node, Less> places_;
};

}  // namespace stencil::equation
