#include "sim/model/step/linear_part.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "sim/model/sides.h"
#include "sim/model/step/lowering.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"

namespace stencil::equation {
namespace {

// Higher powers are not expected in practice; such terms stay explicit.
constexpr int kMostPower = 16;

// Exponents of X, of Y, and of the symbols of the first differences (e - w, s - n), whose squares are 4 X +
// X^2 and 4 Y + Y^2.
using Powers = std::array<int, 4>;
constexpr Powers kOne{0, 0, 0, 0}, kX{1, 0, 0, 0}, kY{0, 1, 0, 0}, kFirstX{0, 0, 1, 0}, kFirstY{0, 0, 0, 1};

// The Fourier symbol of a stencil, as a polynomial.
using Symbol = std::map<Powers, Node>;
// The symbols of one formula, by component.
using Row = std::map<int, Symbol>;

class SymbolReader {
  public:
    /// Reads the unknown of an elliptic equation.
    SymbolReader(Graph& graph, const Conditions& sides) : g_(graph), field_(Op::unknown) { add_field(sides); }
    explicit SymbolReader(Equations& equations) : g_(equations.graph), field_(Op::component) {
        for (const Evolving& component : equations.components) add_field(component.sides);
    }

    const Row& of(Node node) {
        const auto known = done_.find(node);
        if (known != done_.end()) return known->second;
        return done_[node] = read(node);
    }

    /// Whether the formulas are their even stencils plus what no field and no time changes.
    bool covers(const std::vector<Node>& formulas) {
        for (const Node formula : formulas) of(formula);
        return complete_;
    }

    /// The terms of even stencils.
    std::vector<LinearTerm> terms_of(const std::vector<Node>& formulas) {
        std::vector<LinearTerm> terms;
        for (std::size_t r = 0; r < formulas.size(); ++r)
            for (const auto& [column, symbol] : of(formulas[r]))
                for (const auto& [powers, coefficient] : symbol)
                    if (powers[2] == 0 && powers[3] == 0 && g_.number_of(coefficient) != 0.0)
                        terms.push_back({int(r), column, powers[0], powers[1], coefficient});
        return terms;
    }

  private:
    void add_field(const Conditions& sides) { periodic_.push_back({sides[0].periodic, sides[2].periodic}); }

    Row read(Node node) {
        const Expression e = g_[node];  // a copy: the graph grows
        const Node a = e.args[0], b = e.args[1];
        if (e.op == field_) {
            const int field = e.op == Op::component ? e.index : 0;
            return {{field, {{kOne, g_.number(1)}}}};
        }
        switch (e.op) {
            case Op::add:
                return sum(of(a), of(b));
            case Op::subtract:
                return sum(of(a), scaled(of(b), g_.number(-1)));
            case Op::negate:
                return scaled(of(a), g_.number(-1));
            case Op::multiply:
                if (is_constant(a)) return scaled(of(b), a);
                if (is_constant(b)) return scaled(of(a), b);
                break;
            case Op::divide:
                if (is_constant(b)) return scaled(of(a), g_.divide(g_.number(1), b));
                break;
            case Op::divergence:
                if (is_constant(a)) return scaled(product(of(b), stencil(e)), a);
                break;
            default:
                if (reaches_neighbours(e.op) && e.op != Op::passes) return product(of(a), stencil(e));
        }
        const Dependence& depends = g_.depends(node);
        if (depends.evolving || depends.time || depends.global) complete_ = false;
        return {};
    }

    bool is_constant(Node node) const { return g_.depends(node).uniform() && !g_.depends(node).time; }

    Symbol stencil(const Expression& e) {
        const auto n = [&](double number) { return g_.number(number); };
        switch (e.op) {
            case Op::neighbour:
                return product(shift(e.column, kX, kFirstX), shift(e.row, kY, kFirstY), {true, true});
            case Op::laplacian:
                return {{kX, n(1)}, {kY, n(1)}};
            case Op::laplacian9:
                return {{kX, n(6)}, {kY, n(6)}, {{1, 1, 0, 0}, n(1)}};
            case Op::difference_x:
                return {{kFirstX, n(1)}};
            case Op::difference_y:
                return {{kFirstY, n(1)}};
            case Op::difference_xx:
                return {{kX, n(1)}};
            case Op::difference_yy:
                return {{kY, n(1)}};
            case Op::difference_xy:
                return {{{0, 0, 1, 1}, n(1)}};
            default:  // a divergence with coefficient 1
                return {{kX, n(2)}, {kY, n(2)}};
        }
    }

    // A neighbour is the cell plus half its second difference plus or minus half its first difference.
    Symbol shift(int cells, const Powers& second, const Powers& first) {
        if (cells == 0) return {{kOne, g_.number(1)}};
        return {{kOne, g_.number(1)}, {second, g_.number(0.5)}, {first, g_.number(0.5 * cells)}};
    }

    void add(Symbol& to, const Powers& powers, Node coefficient) {
        const auto [entry, is_new] = to.try_emplace(powers, coefficient);
        if (!is_new) entry->second = g_.add(entry->second, coefficient);
    }

    // First differences swap sines and cosines, so only periodic axes can have odd powers of them.
    void add_reduced(Symbol& to, const Powers& powers, Node coefficient, std::array<bool, 2> periodic) {
        for (const std::size_t axis : {0, 1}) {
            const int first = powers[2 + axis];
            if (first == 0 || (first == 1 && periodic[axis])) continue;
            if (!periodic[axis]) {
                complete_ = false;
                return;
            }
            Powers squared = powers;
            squared[2 + axis] = 0;
            squared[axis] += 2;
            add_reduced(to, squared, coefficient, periodic);
            squared[axis] -= 1;
            return add_reduced(to, squared, g_.multiply(g_.number(4), coefficient), periodic);
        }
        add(to, powers, coefficient);
    }

    Symbol product(const Symbol& a, const Symbol& b, std::array<bool, 2> periodic) {
        Symbol result;
        for (const auto& [powers, coefficient] : a)
            for (const auto& [more, factor] : b) {
                Powers both = powers;
                for (std::size_t i = 0; i < both.size(); ++i) both[i] += more[i];
                if (both[0] + both[1] > kMostPower) {
                    complete_ = false;
                    return {};
                }
                add_reduced(result, both, g_.multiply(factor, coefficient), periodic);
            }
        return result;
    }

    Row product(const Row& row, const Symbol& symbol) {
        Row result;
        for (const auto& [field, of] : row)
            result[field] = product(of, symbol, periodic_[std::size_t(field)]);
        return result;
    }

    Row scaled(const Row& row, Node factor) { return product(row, {{kOne, factor}}); }

    Row sum(Row a, const Row& b) {
        for (const auto& [component, symbol] : b)
            for (const auto& [powers, coefficient] : symbol) add(a[component], powers, coefficient);
        return a;
    }

    Graph& g_;
    Op field_;
    std::vector<std::array<bool, 2>> periodic_;  ///< by field
    std::map<Node, Row> done_;
    bool complete_ = true;
};

// How the transforms continue a field beyond one side.
enum class Beyond { periodic, insulated, value, zero, ratio, unknown };

Beyond beyond(Graph& g, const Condition& side) {
    if (side.periodic) return Beyond::periodic;
    if (g.number_of(side.value) == 0.0) return Beyond::insulated;
    if (g.number_of(side.flux) == 0.0) return Beyond::value;
    const Condition zero = *condition_of_word(g, name_of(Boundary::zero));
    if (side.value == zero.value && side.flux == zero.flux) return Beyond::zero;
    for (const Node factor : {side.value, side.flux}) {
        const Dependence& depends = g.depends(factor);
        if (!depends.uniform() || depends.time || depends.global) return Beyond::unknown;
    }
    return Beyond::ratio;
}

// The modes of a field along an axis (0: x); for general modes the ratios of ghost to edge cell.
struct AxisModes {
    Modes modes = Modes::periodic;
    std::array<Node, 2> ratios{};
    friend bool operator==(const AxisModes&, const AxisModes&) = default;
};

// Empty if a factor in a condition changes along the side or with time.
std::optional<AxisModes> modes_along(Graph& g, const Conditions& sides, std::size_t axis) {
    const Condition &first = sides[2 * axis], &last = sides[2 * axis + 1];
    const std::pair ends(beyond(g, first), beyond(g, last));
    if (ends.first == Beyond::unknown || ends.second == Beyond::unknown) return std::nullopt;
    using enum Beyond;
    const auto are = [&](Beyond a, Beyond b) { return ends == std::pair(a, b); };
    if (are(periodic, periodic)) return AxisModes{Modes::periodic};
    if (are(insulated, insulated)) return AxisModes{Modes::insulated};
    if (are(value, value)) return AxisModes{Modes::values};
    if (are(zero, zero)) return AxisModes{Modes::zero};
    if (are(insulated, value)) return AxisModes{Modes::insulated_value};
    if (are(value, insulated)) return AxisModes{Modes::value_insulated};
    AxisModes general{Modes::general};
    for (const Condition* side : {&first, &last}) {
        const Node value = g.multiply(g.number(0.5), side->value),
                   slope = g.divide(side->flux, g.leaf(Op::spacing));
        general.ratios[side == &first ? 0 : 1] = g.divide(g.subtract(slope, value), g.add(slope, value));
    }
    return general;
}

// Whether at a side a multiple of the field is given with its flux, where a derivative of a derivative has no
// modes.
bool has_ratio(Graph& g, const Conditions& sides, std::size_t axis) {
    return beyond(g, sides[2 * axis]) == Beyond::ratio || beyond(g, sides[2 * axis + 1]) == Beyond::ratio;
}

bool is_free(const std::vector<LinearTerm>& terms, int component) {
    return std::ranges::none_of(terms, [&](const LinearTerm& term) {
        return term.column == component && term.x_power + term.y_power > 0;
    });
}

// Groups components by their modes. One whose neighbours no term reads may have any conditions, and joins a
// component that it is coupled to.
std::vector<int> groups_of(Equations& equations, const std::vector<LinearTerm>& terms) {
    const int components = int(equations.components.size());
    const auto modes = [&](int c) {
        const Conditions& sides = equations.components[std::size_t(c)].sides;
        return std::pair(modes_along(equations.graph, sides, 0), modes_along(equations.graph, sides, 1));
    };
    std::vector<int> groups(std::size_t(components), -1);
    int count = 0;
    for (int c = 0; c < components; ++c) {
        if (is_free(terms, c)) continue;
        int& group = groups[std::size_t(c)];
        for (int other = 0; other < c && group < 0; ++other)
            if (groups[std::size_t(other)] >= 0 && modes(other) == modes(c))
                group = groups[std::size_t(other)];
        if (group < 0) group = count++;
    }
    for (int round = 0; round < components; ++round)
        for (const LinearTerm& term : terms) {
            if (term.row >= components) continue;
            int &row = groups[std::size_t(term.row)], &column = groups[std::size_t(term.column)];
            if (row < 0) row = column;
            if (column < 0) column = row;
        }
    for (int& group : groups) group = std::max(group, 0);
    return groups;
}

std::vector<Node> rates_of(const Equations& equations) {
    std::vector<Node> formulas;
    for (const Evolving& component : equations.components) formulas.push_back(component.formula);
    return formulas;
}

}  // namespace

std::vector<LinearTerm> linear_part(Equations& equations, const std::vector<Node>& rates) {
    try {
        std::vector<LinearTerm> terms = SymbolReader(equations).terms_of(rates);
        const std::vector<int> groups = groups_of(equations, terms);
        std::erase_if(terms, [&](const LinearTerm& term) {
            return term.row < int(groups.size()) &&
                   groups[std::size_t(term.row)] != groups[std::size_t(term.column)];
        });
        return terms;
    } catch (const std::length_error&) {
        throw InputError(Given{"integrator"}, "the formulas have too many parts: take another integrator");
    }
}

std::vector<LinearTerm> symbol_of(Equations& equations, const Elliptic& equation) {
    return SymbolReader(equations.graph, equation.sides).terms_of({equation.linear});
}

namespace {

// Throws InputError about the field if its conditions have no modes.
LinearPart lowered_terms(Equations& equations,
                         const std::vector<LinearTerm>& terms,
                         const std::string& name,
                         const Conditions& sides,
                         std::string_view otherwise) {
    Graph& g = equations.graph;
    LinearPart part;
    std::vector<Node> coefficients, ratios;
    for (const LinearTerm& term : terms) {
        part.terms.push_back({term.row, term.column, term.x_power, term.y_power});
        coefficients.push_back(term.coefficient);
    }
    for (const std::size_t axis : {0, 1}) {
        const auto modes = modes_along(g, sides, axis);
        const char* place = axis == 0 ? "left and right" : "top and bottom";
        if (!modes)
            throw InputError(
                "`{0}` is solved for by transforms, which take factors of numbers and parameters before "
                "`{0}` "
                "and flux({0}) at the {1} sides{2}",
                name,
                place,
                otherwise);
        const bool high = std::ranges::any_of(
            terms, [&](const LinearTerm& term) { return (axis == 0 ? term.x_power : term.y_power) > 1; });
        if (high && has_ratio(g, sides, axis))
            throw InputError(
                "`{0}` is solved for by transforms, which take derivatives of derivatives only where `{0}` "
                "or "
                "flux({0}) is given at the {1} sides, not both in one condition{2}",
                name,
                place,
                otherwise);
        (axis == 0 ? part.along_x : part.along_y) = modes->modes;
        std::ranges::copy(modes->ratios, std::back_inserter(ratios));
    }
    if (part.along_x == Modes::general || part.along_y == Modes::general)
        std::ranges::copy(ratios, std::back_inserter(coefficients));
    part.coefficients = lower_inputs(g, coefficients);
    return part;
}

}  // namespace

std::vector<ImplicitPart> lowered_linear_parts(Equations& equations,
                                               const Integrator& integrator,
                                               double share) {
    const std::vector<LinearTerm> terms = linear_part(equations, rates_of(equations));
    if (terms.empty())
        throw InputError(Given{"integrator", integrator->name},
                         "no rate has a linear part to solve for, of constants and even derivatives such as "
                         "lap(u): take rkl2, or write D as a constant plus the rest, `D0*lap(u) + "
                         "div((D - D0)*grad(u))`");
    const std::vector<int> groups = groups_of(equations, terms);
    std::vector<ImplicitPart> parts(std::size_t(std::ranges::max(groups)) + 1);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        std::vector<int>& components = parts[p].components;
        for (int c = 0; c < int(groups.size()); ++c)
            if (groups[std::size_t(c)] == int(p)) components.push_back(c);
        std::vector<LinearTerm> own;
        for (LinearTerm term : terms) {
            if (groups[std::size_t(term.row)] != int(p)) continue;
            for (int* c : {&term.row, &term.column})
                *c = int(std::ranges::find(components, *c) - components.begin());
            own.push_back(term);
        }
        const auto decides = std::ranges::find_if(components, [&](int c) { return !is_free(terms, c); });
        const int c = decides == components.end() ? components.front() : *decides;
        const Evolving& component = equations.components[std::size_t(c)];
        for (const int other : components)
            if (const auto& held = equations.components[std::size_t(other)].held;
                held != decltype(Evolving::held){})
                throw InputError(
                    Given{"integrator", integrator->name},
                    "`{}` has a value and a flux at one side, which no transforms have: take rkl2",
                    equations.components[std::size_t(other)].name);
        try {
            parts[p].part = lowered_terms(
                equations, own, component.name, component.sides, ": take another integrator, such as rkl2");
        } catch (const InputError& what) {
            throw InputError(Given{"integrator", integrator->name}, "{}", what.what());
        }
        parts[p].part.fields = int(components.size());
        parts[p].part.share = share;
    }
    return parts;
}

bool is_linear(Equations& equations) {
    const Graph& g = equations.graph;
    const auto changes = [&](const Condition& side) {
        return std::ranges::any_of(std::array{side.value, side.flux, side.right}, [&](Node node) {
            return g.depends(node).time || g.depends(node).evolving || g.depends(node).global;
        });
    };
    for (const Evolving& component : equations.components)
        if (std::ranges::any_of(component.sides, changes)) return false;
    const std::vector<int> groups = groups_of(equations, linear_part(equations, rates_of(equations)));
    return std::ranges::max(groups) == 0 && SymbolReader(equations).covers(rates_of(equations));
}

LinearPart lowered_elliptic(Equations& equations, int index) {
    const Elliptic& equation = equations.elliptic[std::size_t(index)];
    LinearPart part = lowered_terms(equations, equation.terms, equation.name, equation.sides, "");
    part.matrix = LinearPart::Matrix::equation;
    return part;
}

ConvolutionKernel lowered_kernel(const Equations& equations, int index) {
    const Graph& g = equations.graph;
    const Node formula = equations.kernels[std::size_t(index)].formula;
    std::set<Node> sums;  // arguments before users
    g.walk(formula, [&](Node part) {
        if (is_global(g[part].op)) sums.insert(part);
    });
    GlobalTable numbers(equations.parameters.size());
    for (const Node sum : sums) numbers.add(g, sum);
    ConvolutionKernel kernel;
    for (const Node sum : sums) kernel.sums.push_back(lower_inputs(g, {g[sum].args[0]}, &numbers));
    kernel.formula = lower_inputs(g, {formula}, &numbers);
    return kernel;
}

LinearPart lowered_convolutions(Equations& equations,
                                Reflections& reflections,
                                Node argument,
                                const std::vector<int>& kernels) {
    LinearPart part;
    for (const std::size_t axis : {0, 1}) {
        const auto outside = reflections.outside(argument, axis);
        if (!outside)
            throw InputError(
                "`conv` takes what is periodic, mirrored (no flux), 0 on the faces or 0 outside, alike at {} "
                "side, and this is not: give it a name and sides of its own, such as `w = ...` and `{}: "
                "flux(w) = 0`",
                axis == 0 ? "the left and the right" : "the top and the bottom",
                axis == 0 ? "left, right" : "top, bottom");
        part.outside[axis] = *outside;
    }
    for (const int kernel : kernels) part.kernels.push_back(lowered_kernel(equations, kernel));
    return part;
}

}  // namespace stencil::equation
