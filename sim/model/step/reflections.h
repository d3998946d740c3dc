// How expressions continue beyond the sides: the conditions of components determine those of everything
// computed from them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// Whether the field wraps around along x and along y.
using Wraps = std::array<bool, 2>;

/// How an expression continues beyond one side. Like a component's condition, `face` varies along the side
/// only.
struct Reflection {
    enum class Kind {
        none,      ///< no rule: only cell by cell, from its parts
        in_cell,   ///< by a condition with values of the cell, where its neighbour is read
        periodic,  ///< wraps around
        known,     ///< by its formula, which depends on position, time and parameters only
        even,      ///< mirrored; `face` is the flux
        odd,       ///< mirrored with opposite sign around the value on the face, `face`
        linear,    ///< ghost = alpha * edge + face
    } kind = Kind::none;
    Node face = 0, alpha = 0;
    std::optional<Node> added = {};  ///< a known formula to add to all of the above
};

/// Thrown if a derivative is needed at a ghost cell where it is undefined.
struct Meaningless {
    Node node;
    std::size_t side;
    bool circular = false;  ///< a condition needs the ghost cells that it is to give
};

/// The message for the user.
std::string meaningless_sentence(const Meaningless& what);

class Reflections {
  public:
    explicit Reflections(Equations& equations);

    const Reflection& of(Node node, std::size_t side);
    /// Whether an array that stores the expression has well-defined ghost cells.
    bool is_definite(Node node);
    /// How the argument of a convolution continues beyond both ends of an axis (0: x); empty if the
    /// transforms do not support it.
    std::optional<Outside> outside(Node argument, std::size_t axis);
    /// {alpha, beta} of ghost = alpha * edge + beta beyond one side; empty if periodic.
    std::optional<std::array<Node, 2>> ghosts(Node node, std::size_t side);
    /// The formula with derivatives split so that everything whose neighbours are read is definite. Throws
    /// Meaningless.
    Node continued(Node formula);
    /// The axes along which all components whose neighbours are read are periodic; also used for expressions
    /// without components.
    Wraps wraps() const { return wraps_; }
    /// Whether those components are periodic along the same axes.
    bool agree() const { return wraps_ == any_wraps_; }
    /// The axes along which all components and solved fields in an operator on neighbours are periodic.
    Wraps wraps_within(const Expression& e);
    /// The axes along which an expression that is read from an array is periodic.
    Wraps wraps_of(Node node);
    /// All values that wraps_within() and wraps_of() may return.
    std::vector<Wraps> all_wraps() const;

    /// Whether the expression continues beyond the edge of `inside` other than by repeating its value in the
    /// cell.
    bool has_edge(Node node);
    /// Whether the expression has a condition with values of the cell at that side.
    bool is_in_cell(Node node, std::size_t side);
    /// {alpha, beta} of ghost = alpha * cell + beta beyond the face towards a neighbour, as formulas of the
    /// cell, for an expression with a condition of its own at that side or at the edge; `ahead` is its time,
    /// in steps after that of the formulas. Empty: it continues by its parts.
    std::optional<std::array<Node, 2>> cell_ghosts(
        Node node, std::size_t side, int column, int row, double ahead);
    /// 1 in cells beyond a side, else 0.
    Node is_beyond(std::size_t side);
    /// What is evaluated for an expression: its arguments, and if it reads neighbours, the conditions with
    /// values of the cell that these have.
    std::vector<Node> needs(Node node);
    /// The conditions with values of the cell that formulas need.
    std::vector<Node> conditions_of(const std::vector<Node>& formulas);

  private:
    struct Position;

    Reflection read(Node node, std::size_t side);
    const Conditions& sides_of(const Expression& field) const;
    Reflection of_condition(const Condition& condition);
    Reflection derivative(const Expression& e, std::size_t side);
    Reflection divergence(const Expression& e, std::size_t side);
    Reflection convolution(const Expression& e, std::size_t side);
    Reflection operation(const Expression& e, std::size_t side);
    Reflection sum(const Expression& e, std::size_t side);
    Reflection scaled(Reflection r, Node by);
    void add_known(Reflection& r, Node known, std::size_t side);
    std::array<Node, 2> mirrored(const Reflection& r);
    bool varies_across(Node known, std::size_t side) const;
    /// 1 for even, -1 for odd, 0 if neither.
    int parity(Node node, std::size_t side);
    std::optional<Node> given(Node node, std::size_t side);

    Node along(Node face, std::size_t side, int cells);
    Node second_along(Node face, std::size_t side);
    Position ghost_position(std::size_t side);
    Position edge_position(std::size_t side);
    Node at(Node known, const Position& position);
    Node moved(Node known, const Position& position, int columns, int rows);

    /// Rebuilds an expression with changed arguments, simplified as usual.
    template <class Change>
    Node remade(Node node, Change&& change) {
        const Expression e = g_[node];
        Expression other = e;
        for (std::size_t i = 0; i < e.count; ++i) other.args[i] = change(e.args[i]);
        return other.args == e.args ? node : g_.make(other);
    }

    // continuation.cpp
    Node rebuilt(Node node);
    Node storable(Node node);
    void require_convolutions(Node node);
    Node distributed(Op op, Node over, bool for_neighbours);
    Node expanded(Op op, Node a, Node b);
    Node pushed(Node node, int column, int row);
    bool is_open(Node node);
    bool is_linear_part(const Expression& e) const;

    // edges.cpp
    std::optional<Condition> own(Node node, std::size_t side);
    std::optional<Condition> of_held(const Expression& e, std::size_t side);
    bool is_held(Node node, std::size_t side) const;
    bool is_in_cell(const Condition& condition) const;
    void require_order(Node node);
    void require_edges(Node formula);
    void require_edge_of(Node part);
    Node at_face(Node node, int column, int row, double ahead);

    Equations& model_;
    Graph& g_;
    Wraps wraps_{}, any_wraps_{};
    bool any_in_cell_ = false;  ///< whether any condition has values of the cell
    bool fields_agree_ = true;  ///< whether all components and solved fields wrap around along the same axes
    std::map<std::pair<Node, std::size_t>, Reflection> done_;
    std::map<Node, Node> rebuilt_;
    std::map<Node, bool> open_;
    std::map<std::array<int, 3>, Node> pushed_;
    std::map<Node, bool> has_edge_;
    std::set<Node> required_;
    std::map<std::tuple<Node, int, int, double>, Node> at_face_;
    std::map<Node, bool> ordered_;  ///< false while it is visited
};

}  // namespace stencil::equation
