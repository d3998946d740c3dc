
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "sim/model/semantics.h"
#include "sim/model/sides.h"
#include "sim/model/step/linear_part.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

constexpr std::string_view kLinear =
    "an equation without a time derivative is linear in `{0}`, with numbers and parameters before {0}, "
    "lap({0}), lap2({0}), dxx({0}) and dyy({0})";

// The name without a suffix such as _xx, unless the text defines what is left.
std::string field_of(const std::string& name, const auto& is_known) {
    const std::size_t bar = name.rfind('_');
    const bool derivative = bar != std::string::npos && bar > 0 && bar + 1 < name.size() &&
                            name.find_first_not_of("xy", bar + 1) == std::string::npos;
    constexpr std::string_view laplacian = "laplacian_";
    if (name.starts_with(laplacian)) return name.substr(laplacian.size());
    return derivative && !is_known(name.substr(0, bar)) ? name.substr(0, bar) : name;
}

// A kernel of a convolution contains no fields.
void add_names(const Syntax& formula, std::vector<std::string>& names) {
    if (formula.kind == SyntaxKind::name) names.push_back(formula.text);
    if (formula.kind == SyntaxKind::call && formula.text == "conv" && formula.args.size() == 2)
        return add_names(formula.args[0], names);
    for (const Syntax& part : formula.args) add_names(part, names);
}

// A formula as linear + rest; only `linear` contains the unknown.
struct Parts {
    Node linear = 0, rest = 0;
};

class Splitter {
  public:
    Splitter(Graph& graph, Node unknown) : g_(graph), unknown_(unknown) {}

    /// Empty if the formula is not linear with constant coefficients, or contains odd differences.
    std::optional<Parts> of(Node node) {
        const auto known = done_.find(node);
        if (known != done_.end()) return known->second;
        return done_[node] = split(node);
    }

  private:
    std::optional<Parts> split(Node node) {
        const Node zero = g_.number(0);
        if (node == unknown_) return Parts{node, zero};
        const Expression e = g_[node];
        std::array<Parts, 3> of_arguments;
        bool is_rest = true;
        for (std::size_t i = 0; i < e.count; ++i) {
            const auto parts = of(e.args[i]);
            if (!parts) return std::nullopt;
            of_arguments[i] = *parts;
            is_rest = is_rest && parts->linear == zero && parts->rest == e.args[i];
        }
        if (is_rest) return Parts{zero, node};
        const Parts *a = of_arguments.data(), *b = a + 1;
        switch (e.op) {
            case Op::add:
                return Parts{g_.add(a->linear, b->linear), g_.add(a->rest, b->rest)};
            case Op::subtract:
                return Parts{g_.subtract(a->linear, b->linear), g_.subtract(a->rest, b->rest)};
            case Op::negate:
                return mapped(*a, [&](Node part) { return g_.negate(part); });
            case Op::multiply:
                if (is_constant(e.args[0]))
                    return mapped(*b, [&](Node part) { return g_.multiply(e.args[0], part); });
                if (is_constant(e.args[1]))
                    return mapped(*a, [&](Node part) { return g_.multiply(e.args[1], part); });
                return std::nullopt;
            case Op::divide:
                if (!is_constant(e.args[1])) return std::nullopt;
                return mapped(*a, [&](Node part) { return g_.divide(part, e.args[1]); });
            case Op::divergence:
                if (!is_constant(e.args[0])) return std::nullopt;
                return mapped(*b, [&](Node part) { return differenced({e.args[0], part}, e.op); });
            case Op::laplacian:
            case Op::laplacian9:
            case Op::difference_xx:
            case Op::difference_yy:
                return mapped(*a, [&](Node part) { return differenced({part}, e.op); });
            default:
                return std::nullopt;
        }
    }

    bool is_constant(Node node) const { return g_.depends(node).uniform() && !g_.depends(node).time; }

    template <class F>
    Parts mapped(const Parts& parts, F&& f) {
        const auto of = [&](Node part) { return part == g_.number(0) ? part : f(part); };
        return {of(parts.linear), of(parts.rest)};
    }

    Node differenced(std::initializer_list<Node> args, Op op) {
        const Node field = *(args.end() - 1);
        return g_.depends(field).uniform() ? g_.number(0) : g_.make(op, args);
    }

    Graph& g_;
    Node unknown_;
    std::map<Node, std::optional<Parts>> done_;
};

// Whether the formula is 0, or each of its terms has the name as a factor.
bool is_homogeneous(const Syntax& formula, const std::string& name) {
    const auto is = [&](const Syntax& part) { return is_homogeneous(part, name); };
    if (constant_value(formula) == 0.0) return true;
    if (formula.text == "*" || formula.text == "/") return std::ranges::any_of(formula.args, is);
    if (formula.text == "+" || formula.text == "-" || formula.text == "neg")
        return std::ranges::all_of(formula.args, is);
    return mentions(formula, name);
}

}  // namespace

std::vector<std::string> unknowns_of(const Statements& statements) {
    std::set<std::string> known;
    for (const KnownName& row : known_names())
        if (!is_offset_name(row.name)) known.emplace(row.name);
    for (const Evolution& e : statements.evolutions) known.insert(e.component);
    for (std::string& name : component_names(statements)) known.insert(std::move(name));
    for (const NamedFormula& d : statements.definitions) known.insert(d.name);
    for (const ParameterStatement& p : statements.parameters) known.insert(p.name);
    const auto is_known = [&](const std::string& name) {
        const Function* function = find_function(name);
        return known.contains(name) || (function != nullptr && function->least == 0);
    };
    std::vector<std::string> unknowns(statements.elliptic.size());
    // Prefers a name for which no other equation is solved.
    const auto find_in = [&](const Syntax& formula, std::string& unknown) {
        std::vector<std::string> names;
        add_names(formula, names);
        std::string taken;
        for (const std::string& name : names) {
            const std::string field = field_of(name, is_known);
            if (is_known(name) || is_known(field)) continue;
            std::string& found = contains(unknowns, field) ? taken : unknown;
            if (found.empty()) found = field;
        }
        if (unknown.empty()) unknown = taken;
    };
    for (std::size_t i = 0; i < unknowns.size(); ++i) find_in(statements.elliptic[i].left, unknowns[i]);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
        if (unknowns[i].empty()) find_in(statements.elliptic[i].right, unknowns[i]);
    return unknowns;
}

std::vector<std::string> fields_of(const Statements& statements) {
    std::vector<std::string> fields = component_names(statements);
    for (std::string& name : unknowns_of(statements))
        if (!name.empty()) fields.push_back(std::move(name));
    return fields;
}

// The equation is read when its field is first named, since it may need other definitions and solutions.
Node Semantics::solution(std::size_t index, TextSpan span) {
    Graph& g = graph();
    const std::string name = equations_.elliptic[index].name;
    if (!in_work_.empty() && in_work_.back() == name) return g.leaf(Op::unknown, int(index));
    if (const auto done = definitions_.find(name); done != definitions_.end()) return done->second.node;
    enter(name, span);
    const EllipticStatement& s = statements_.elliptic[index];
    const auto* outer = std::exchange(bound_, nullptr);
    const Node residual = g.subtract(scalar(s.left), scalar(s.right));
    bound_ = outer;
    in_work_.pop_back();
    const Node unknown = g.leaf(Op::unknown, int(index));
    const auto parts = Splitter(g, unknown).of(residual);
    const TextSpan whole = join(s.left.span, s.right.span);
    if (!parts) refuse(whole, kLinear, quotable(name));
    Elliptic& equation = equations_.elliptic[index];
    equation.linear = parts->linear;
    equation.rest = parts->rest;
    equation.terms = symbol_of(equations_, equation);
    if (equation.terms.empty()) refuse(whole, "`{}` drops out of this equation", quotable(name));
    // If a side has an inhomogeneous condition, its given values enter the linear part through ghost cells,
    // so this contribution is added to the right side.
    const std::vector<std::string> fields = fields_of(statements_);
    const bool given = std::ranges::any_of(statements_.sides, [&](const SideStatement& side) {
        const auto is_field = [&](std::string_view one) { return contains(fields, one); };
        return first_quantity(side, is_field) == name &&
               !(is_homogeneous(side.left, name) && is_homogeneous(side.right, name));
    });
    const Node solved = g.solved(given ? g.add(parts->linear, parts->rest) : parts->rest, int(index));
    return definitions_.emplace(name, Value(solved)).first->second.node;
}

}  // namespace stencil::equation
