// What expressions are beyond the sides of the field: components go on as their conditions say, and with them
// what is made of them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/model/equations.h"

namespace stencil::equation {

/// Whether there is the field's other end beyond the sides of an axis: along x, along y.
using Wraps = std::array<bool, 2>;

/// How an expression goes on beyond one side. `face` goes along the side, as the conditions of components do.
struct Reflection {
    enum class Kind {
        none,      ///< not as one of those below: only cell by cell, of its parts
        periodic,  ///< as the field's other end
        known,     ///< as its formula, which is of the place, time and parameters alone
        even,      ///< mirrored, but for a slope: `face` is the flux
        odd,       ///< mirrored with the other sign around the value on the face, which is `face`
        linear,    ///< the ghost cell is alpha * edge + face
    } kind = Kind::none;
    Node face = 0, alpha = 0;
    std::optional<Node> added = {};  ///< a known formula, which what is said above is without
};

/// Thrown where a derivative is needed beyond the sides that is not known there.
struct Meaningless {
    Node node;
    std::size_t side;
};

/// What it says to the user.
std::string meaningless_sentence(const Meaningless& what);

class Reflections {
  public:
    explicit Reflections(Equations& equations);

    const Reflection& of(Node node, std::size_t side);
    /// Whether an array of it can have ghost cells.
    bool is_definite(Node node);
    /// What its ghost cells are made of beyond one side, alpha * edge + beta; empty where it is periodic.
    std::optional<std::array<Node, 2>> ghosts(Node node, std::size_t side);
    /// The formula with derivatives taken apart so that those of which neighbours are read are definite.
    /// Throws Meaningless.
    Node continued(Node formula);
    /// Where all components are periodic of which the equations read neighbours; that is the rule for what
    /// has no component in it.
    Wraps wraps() const { return wraps_; }
    /// Whether these agree in it.
    bool agree() const { return wraps_ == any_wraps_; }
    /// Where all components are that an operator on neighbours reads.
    Wraps wraps_within(const Expression& e);
    /// All that may come of that.
    std::vector<Wraps> all_wraps() const;

  private:
    struct Place;

    Reflection read(Node node, std::size_t side);
    Reflection of_condition(const Condition& condition);
    Reflection derivative(const Expression& e, std::size_t side);
    Reflection divergence(const Expression& e, std::size_t side);
    Reflection operation(const Expression& e, std::size_t side);
    Reflection sum(const Expression& e, std::size_t side);
    Reflection scaled(Reflection r, Node by);
    void add_known(Reflection& r, Node known, std::size_t side);
    bool varies_across(Node known, std::size_t side) const;
    /// 1, -1, or 0 where it has no sign under reflection.
    int parity(Node node, std::size_t side);
    std::optional<Node> given(Node node, std::size_t side);

    Node along(Node face, std::size_t side, int cells);
    Node second_along(Node face, std::size_t side);
    Place ghost_place(std::size_t side);
    Place edge_place(std::size_t side);
    Node at(Node known, const Place& place);
    Node moved(Node known, const Place& place, int columns, int rows);

    template <class Change>
    Node remade(Node node, Change&& change);
    Node rebuilt(Node node);
    Node storable(Node node);
    Node distributed(Op op, Node over, bool for_neighbours);
    Node expanded(Op op, Node a, Node b);
    Node pushed(Node node, int column, int row);
    bool is_open(Node node);
    bool is_linear_part(const Expression& e) const;

    Equations& model_;
    Graph& g_;
    Wraps wraps_{}, any_wraps_{};
    bool components_agree_ = true;
    std::map<std::pair<Node, std::size_t>, Reflection> done_;
    std::map<Node, Node> rebuilt_;
    std::map<Node, bool> open_;
    std::map<std::array<int, 3>, Node> pushed_;
};

}  // namespace stencil::equation
