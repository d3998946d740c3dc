#include "sim/model/step/linear_part.h"

#include <map>
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
    /// Reads components, or the unknown of an elliptic equation.
    SymbolReader(Graph& graph, const Conditions& sides, Op field) : g_(graph), field_(field) {
        for (const std::size_t axis : {0, 1}) periodic_[axis] = sides[2 * axis].periodic;
    }

    const Row& of(Node node) {
        const auto known = done_.find(node);
        if (known != done_.end()) return known->second;
        return done_[node] = read(g_[node]);
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
    Row read(const Expression e) {  // a copy: the graph grows
        const Node a = e.args[0], b = e.args[1];
        if (e.op == field_) return {{e.op == Op::component ? e.index : 0, {{kOne, g_.number(1)}}}};
        switch (e.op) {
            case Op::add:
                return sum(of(a), of(b));
            case Op::subtract:
                return sum(of(a), scaled(of(b), g_.number(-1)));
            case Op::negate:
                return scaled(of(a), g_.number(-1));
            case Op::multiply:
                return is_constant(a) ? scaled(of(b), a) : is_constant(b) ? scaled(of(a), b) : Row();
            case Op::divide:
                return is_constant(b) ? scaled(of(a), g_.divide(g_.number(1), b)) : Row();
            case Op::divergence:
                return is_constant(a) ? scaled(product(of(b), stencil(e)), a) : Row();
            default:
                return reaches_neighbours(e.op) ? product(of(a), stencil(e)) : Row();
        }
    }

    bool is_constant(Node node) const { return g_.depends(node).uniform() && !g_.depends(node).time; }

    Symbol stencil(const Expression& e) {
        const auto n = [&](double number) { return g_.number(number); };
        switch (e.op) {
            case Op::neighbour:
                return product(shift(e.column, kX, kFirstX), shift(e.row, kY, kFirstY));
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
    void add_reduced(Symbol& to, const Powers& powers, Node coefficient) {
        for (const std::size_t axis : {0, 1}) {
            const int first = powers[2 + axis];
            if (first == 0 || (first == 1 && periodic_[axis])) continue;
            if (!periodic_[axis]) return;
            Powers squared = powers;
            squared[2 + axis] = 0;
            squared[axis] += 2;
            add_reduced(to, squared, coefficient);
            squared[axis] -= 1;
            return add_reduced(to, squared, g_.multiply(g_.number(4), coefficient));
        }
        add(to, powers, coefficient);
    }

    Symbol product(const Symbol& a, const Symbol& b) {
        Symbol result;
        for (const auto& [powers, coefficient] : a)
            for (const auto& [more, factor] : b) {
                Powers both = powers;
                for (std::size_t i = 0; i < both.size(); ++i) both[i] += more[i];
                if (both[0] + both[1] > kMostPower) return {};
                add_reduced(result, both, g_.multiply(factor, coefficient));
            }
        return result;
    }

    Row product(const Row& row, const Symbol& symbol) {
        Row result;
        for (const auto& [component, of] : row) result[component] = product(of, symbol);
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
    std::array<bool, 2> periodic_{};
    std::map<Node, Row> done_;
};

}  // namespace

std::vector<LinearTerm> linear_part(Equations& equations, const std::vector<Node>& rates) {
    try {
        SymbolReader reader(equations.graph, equations.components.front().sides, Op::component);
        return reader.terms_of(rates);
    } catch (const std::length_error&) {
        throw InputError(Given{"integrator", "imex"},
                         "the formulas have too many parts: take another integrator");
    }
}

std::vector<LinearTerm> symbol_of(Equations& equations, const Elliptic& equation) {
    return SymbolReader(equations.graph, equation.sides, Op::unknown).terms_of({equation.linear});
}

namespace {

LinearPart lowered_terms(const Graph& graph, const std::vector<LinearTerm>& terms) {
    LinearPart part;
    std::vector<Node> coefficients;
    for (const LinearTerm& term : terms) {
        part.terms.push_back({term.row, term.column, term.x_power, term.y_power});
        coefficients.push_back(term.coefficient);
    }
    part.coefficients = lower_inputs(graph, coefficients);
    return part;
}

// The boundary that the condition stands for if its right side is ignored; empty if the transforms support
// none like it.
std::optional<Boundary> boundary_of(Graph& g, const Condition& side) {
    if (side.periodic) return Boundary::periodic;
    if (side.value == g.number(0)) return Boundary::insulated;
    const Condition zero = *condition_of_word(g, name_of(Boundary::zero));
    return side.value == zero.value && side.flux == zero.flux ? std::optional(Boundary::zero) : std::nullopt;
}

}  // namespace

LinearPart lowered_linear_part(Equations& equations) {
    std::vector<Node> formulas;
    for (const Evolving& component : equations.components) formulas.push_back(component.formula);
    const std::vector<LinearTerm> terms = linear_part(equations, formulas);
    if (terms.empty())
        throw InputError(
            Given{"integrator", "imex"},
            "no rate has a linear part to solve for, of constants and even derivatives such as lap(u): take "
            "another integrator");
    LinearPart part = lowered_terms(equations.graph, terms);
    part.fields = int(equations.components.size());
    part.share = kGamma;
    const auto [along_x, along_y] = transform_boundaries(equations);
    part.along_x = along_x;
    part.along_y = along_y;
    return part;
}

LinearPart lowered_elliptic(Equations& equations, int index) {
    const Elliptic& equation = equations.elliptic[std::size_t(index)];
    Graph& g = equations.graph;
    LinearPart part = lowered_terms(g, equation.terms);
    part.matrix = LinearPart::Matrix::equation;
    for (const std::size_t axis : {0, 1}) {
        const Condition &first = equation.sides[2 * axis], &last = equation.sides[2 * axis + 1];
        const auto is_value = [&](const Condition& side) {
            return !side.periodic && side.flux == g.number(0);
        };
        // Multiplied by (-1)^i, a field with given values at both sides becomes insulated.
        const auto kind_of = [&](const Condition& side) {
            return is_value(side) ? std::optional(Boundary::insulated) : boundary_of(g, side);
        };
        const auto boundary = kind_of(first), other = kind_of(last);
        const bool values = is_value(first);
        if (!boundary || boundary != other || values != is_value(last))
            throw InputError(
                "`{}` is solved for by transforms, which take one of periodic, a given flux, a given value "
                "and zero on both sides of an axis, and its {} sides have {}",
                equation.name,
                axis == 0 ? "left and right" : "top and bottom",
                boundary && other ? "different conditions" : "another condition");
        (axis == 0 ? part.along_x : part.along_y) = *boundary;
        (axis == 0 ? part.signed_x : part.signed_y) = values;
    }
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

std::array<Boundary, 2> transform_boundaries(Equations& equations) {
    Graph& g = equations.graph;
    std::array<Boundary, 2> result{};
    for (const std::size_t axis : {0, 1}) {
        const auto first = boundary_of(g, equations.components.front().sides[2 * axis]);
        for (const Evolving& c : equations.components)
            for (const std::size_t side : {2 * axis, 2 * axis + 1}) {
                const auto boundary = boundary_of(g, c.sides[side]);
                if (boundary && boundary == first) continue;
                throw InputError(
                    Given{"integrator", "imex"},
                    "`{}` {} at the {} side: imex takes one of periodic, insulated "
                    "(a given flux) and zero, the same for all components on both sides of an axis",
                    c.name,
                    boundary ? "has another boundary" : "has a condition of its own",
                    kSideNames[side]);
            }
        result[axis] = *first;
    }
    return result;
}

}  // namespace stencil::equation
