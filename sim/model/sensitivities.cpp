#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/model/operations.h"
#include "sim/model/semantics.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

class Tangent {
  public:
    // `first` is the first component's tangent, which may be yet to be added.
    Tangent(Equations& equations, int parameter, std::size_t first)
        : equations_(equations), g_(equations.graph), parameter_(parameter), first_(int(first)) {}

    std::string name_of(const std::string& quantity) const {
        return sensitivity_name(quantity, parameter_name());
    }

    Node of(Node node) {
        const auto known = done_.find(node);
        if (known != done_.end()) return known->second;
        const Expression e = g_[node];
        if (e.op == Op::solved) return done_[node] = solved(node, e.index);
        if (e.op == Op::convolved) return done_[node] = convolved(e);
        bool changes = e.count == 0;
        for (int i = 0; i < e.count; ++i) changes = changes || of(e.args[std::size_t(i)]) != zero();
        const Node result = !changes                   ? zero()
                            : e.count == 0             ? leaf(e)
                            : e.op == Op::stored       ? stored(e)
                            : is_global(e.op)          ? g_.global(e.op, of(e.args[0]))
                            : reaches_neighbours(e.op) ? difference(e)
                                                       : operation(node, e);
        return done_[node] = result;
    }

    // Differentiates the condition of u: what its left side changes by is that change times the value on the
    // face and the flux, which follow from the cell.
    Condition of(const Condition& condition, Node u) {
        if (condition.periodic) return condition;
        const Node value = of(condition.value), flux = of(condition.flux);
        Node right = of(condition.right);
        if (value != zero() || flux != zero()) {
            const Node half = g_.multiply(g_.number(0.5), condition.value),
                       slope = g_.divide(condition.flux, g_.leaf(Op::spacing));
            const Node beyond = g_.divide(g_.add(g_.multiply(g_.subtract(slope, half), u), condition.right),
                                          g_.add(slope, half));
            const Node face = g_.multiply(g_.number(0.5), g_.add(beyond, u)),
                       across = g_.divide(g_.subtract(beyond, u), g_.leaf(Op::spacing));
            right = g_.subtract(right, g_.add(g_.multiply(value, face), g_.multiply(flux, across)));
        }
        return {false, condition.value, condition.flux, right};
    }

    EdgeCondition at_edge(const EdgeCondition& condition, Node u) {
        return condition ? EdgeCondition(of(*condition, u)) : std::nullopt;
    }

  private:
    static constexpr int kApart = 1 << 20;  // larger than any number of definitions

    Node zero() { return g_.number(0); }
    const std::string& parameter_name() const { return equations_.parameters[std::size_t(parameter_)].name; }

    Node leaf(const Expression& e) {
        if (e.op == Op::parameter) return g_.number(e.index == parameter_ ? 1 : 0);
        if (e.op == Op::component) return g_.leaf(Op::component, first_ + e.index);
        return zero();
    }

    // Differentiates linear(u) + rest = 0: the tangent u' has linear(u') + rest' + linear'(u) = 0, in which
    // linear' is that of a fixed u.
    Node solved(Node node, int index) {
        const Elliptic equation = equations_.elliptic[std::size_t(index)];
        const auto known = std::ranges::find(equations_.definitions, name_of(equation.name), &Defined::name);
        if (known != equations_.definitions.end()) return known->formula;
        const Node unknown = g_.leaf(Op::unknown, index);
        const int own = int(equations_.elliptic.size());
        Elliptic tangent;
        tangent.name = name_of(equation.name);
        tangent.span = equation.span;
        tangent.tangent = true;
        tangent.linear = g_.replaced(equation.linear, unknown, g_.leaf(Op::unknown, own));
        tangent.terms = equation.terms;
        tangent.rest = g_.add(of(equation.rest), g_.replaced(of(equation.linear), unknown, node));
        bool given = false;
        for (std::size_t s = 0; s < tangent.sides.size(); ++s) {
            tangent.sides[s] = of(equation.sides[s], node);
            given = given || (!tangent.sides[s].periodic && tangent.sides[s].right != zero());
        }
        if (!given && tangent.rest == zero()) return zero();
        equations_.elliptic.push_back(tangent);
        return g_.solved(given ? g_.add(tangent.linear, tangent.rest) : tangent.rest, own);
    }

    // A convolution is linear in its argument and in its kernel.
    Node convolved(const Expression& e) {
        const Node of_argument = g_.convolved(of(e.args[0]), e.index);
        const TypedKernel kernel = equations_.kernels[std::size_t(e.index)];
        const Node formula = of(kernel.formula);
        if (formula == zero()) return of_argument;
        const auto known = std::ranges::find(equations_.kernels, formula, &TypedKernel::formula);
        const int own = int(known - equations_.kernels.begin());
        if (known == equations_.kernels.end())
            equations_.kernels.push_back(
                {formula, fmt::format("d({})/d{}", kernel.text, parameter_name()), kernel.span});
        return g_.add(of_argument, g_.convolved(e.args[0], own));
    }

    // The tangent of a stored array gets an index of its own, since its ghost cells follow differentiated
    // conditions.
    Node stored(const Expression& e) {
        const Node inner = of(e.args[0]);
        if (!g_.depends(inner).cell) return inner;
        return g_.stored(inner, e.index < 0 ? e.index : e.index + (parameter_ + 1) * kApart);
    }

    // Differences are linear, and a divergence is bilinear in its two fields.
    Node difference(const Expression& e) {
        if (e.op == Op::passes) return zero();
        const Node a = of(e.args[0]);
        if (e.op == Op::neighbour) return g_.neighbour(a, e.column, e.row);
        if (e.op != Op::divergence) return g_.make(e.op, {a});
        const Node b = of(e.args[1]);
        if (a == zero()) return g_.make(e.op, {e.args[0], b});
        const Node first = g_.make(e.op, {a, e.args[1]});
        return b == zero() ? first : g_.add(first, g_.make(e.op, {e.args[0], b}));
    }

    Node operation(Node node, const Expression& e) {
        const auto of_argument = [this](Node argument) { return of(argument); };
        return row_of(e.op)->derivative.value({g_, node, e.args[0], e.args[1], e.args[2], of_argument});
    }

    Equations& equations_;
    Graph& g_;
    int parameter_, first_;
    std::map<Node, Node> done_;
};

void add_tangents(Tangent& tangent, std::size_t own, Equations& equations) {
    for (std::size_t c = 0; c < own; ++c) {
        const Evolving component = equations.components[c];
        Evolving change{tangent.name_of(component.name),
                        component.rate,
                        tangent.of(component.formula),
                        std::nullopt,
                        {},
                        {},
                        int(c)};
        if (component.initial) change.initial = tangent.of(*component.initial);
        const Node u = equations.graph.leaf(Op::component, int(c));
        for (std::size_t s = 0; s < change.sides.size(); ++s)
            change.sides[s] = tangent.of(component.sides[s], u);
        change.edge = tangent.at_edge(component.edge, u);
        for (std::size_t s = 0; s < change.held.size(); ++s)
            if (component.held[s]) change.held[s] = tangent.of(*component.held[s]);
        equations.components.push_back(std::move(change));
    }
    std::vector<Defined> changes;
    for (const Defined& definition : equations.definitions) {
        if (definition.tangent) continue;
        Defined change{tangent.name_of(definition.name), tangent.of(definition.formula), {}, true};
        for (std::size_t s = 0; s < change.sides.size(); ++s)
            if (definition.sides[s]) change.sides[s] = tangent.of(*definition.sides[s], definition.formula);
        change.edge = tangent.at_edge(definition.edge, definition.formula);
        if (equations.graph.depends(change.formula).cell) changes.push_back(std::move(change));
    }
    equations.definitions.insert(equations.definitions.end(), changes.begin(), changes.end());
}

void refuse_extremes(const Semantics& semantics, const Graph& g, Node formula, TextSpan span) {
    g.walk(formula, [&](Node part) {
        if (g[part].op == Op::least || g[part].op == Op::largest)
            semantics.refuse(span,
                             "the least and the largest value of the whole field have no derivative: "
                             "`sensitivity` takes `mean` and `integral` in their place");
    });
}

void refuse_extremes(const Semantics& semantics, const Equations& equations, TextSpan span) {
    const auto refuse = [&](Node formula) { refuse_extremes(semantics, equations.graph, formula, span); };
    for (const Evolving& c : equations.components) {
        refuse(c.formula);
        for (const Condition& side : c.sides) refuse(side.right);
        if (c.edge) refuse(c.edge->right);
    }
}

auto first_tangent(const Equations& equations, const std::string& parameter) {
    const std::string name = sensitivity_name(equations.components.front().name, parameter);
    return std::ranges::find_if(equations.components, [&](const Evolving& component) {
        return component.tangent_of && component.name == name;
    });
}

}  // namespace

std::string sensitivity_name(const std::string& quantity, const std::string& parameter) {
    return fmt::format("d{}_d{}", quantity, parameter);
}

bool has_sensitivity(const Equations& equations, const std::string& parameter) {
    return first_tangent(equations, parameter) != equations.components.end();
}

Node derivative_by(const Semantics& semantics,
                   Equations& equations,
                   Node formula,
                   const std::string& parameter,
                   TextSpan span) {
    refuse_extremes(semantics, equations.graph, formula, span);
    equations.graph.walk(formula, [&](Node part) {
        const Expression& e = equations.graph[part];
        if (e.op == Op::component && equations.components[std::size_t(e.index)].tangent_of)
            semantics.refuse(span,
                             "`{}` is a sensitivity, which has none of its own",
                             equations.components[std::size_t(e.index)].name);
    });
    const auto first = first_tangent(equations, parameter) - equations.components.begin();
    const auto by = std::ranges::find(equations.parameters, parameter, &ModelParameter::name);
    return Tangent(equations, int(by - equations.parameters.begin()), std::size_t(first)).of(formula);
}

void add_sensitivities(const Semantics& semantics, const Statements& statements, Equations& equations) {
    const std::size_t own = equations.components.size();
    for (const SettingStatement& s : statements.settings) {
        if (s.name != "sensitivity") continue;
        const auto parameter = std::ranges::find(equations.parameters, s.text, &ModelParameter::name);
        if (parameter == equations.parameters.end())
            semantics.refuse(s.span,
                             unknown_name_message("parameter", s.text, names_of(equations.parameters)));
        if (equations.components.size() + own > kMaxComponents)
            semantics.refuse(
                s.span, "with its sensitivities a model has at most {} components", kMaxComponents);
        const auto require_unused = [&](const std::string& quantity) {
            const std::string name = sensitivity_name(quantity, s.text);
            if (contains(names_of(equations.components), name) ||
                contains(names_of(equations.parameters), name) ||
                contains(names_of(statements.definitions), name))
                semantics.refuse(
                    s.span, "`{}` would be the name of a sensitivity and is taken", quotable(name));
        };
        for (std::size_t c = 0; c < own; ++c) require_unused(equations.components[c].name);
        for (const NamedFormula& d : statements.definitions) require_unused(d.name);
        refuse_extremes(semantics, equations, s.span);
        Tangent tangent(
            equations, int(parameter - equations.parameters.begin()), equations.components.size());
        add_tangents(tangent, own, equations);
    }
}

}  // namespace stencil::equation
