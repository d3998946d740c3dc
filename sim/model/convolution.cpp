// Reads conv(field, kernel).
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "sim/model/semantics.h"
#include "sim/model/step/linear_part.h"
#include "sim/model/step/reflections.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil::equation {
namespace {

bool is_own_name(const auto& rows, std::string_view name) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.name == name; });
}

// The first name of an offset in the formula; empty if offsets occur only in the definitions that it uses.
std::optional<TextSpan> place_of_offset(const Syntax& formula) {
    if (formula.kind == SyntaxKind::name && is_offset_name(formula.text)) return formula.span;
    for (const Syntax& part : formula.args)
        if (const auto span = place_of_offset(part)) return span;
    return std::nullopt;
}

}  // namespace

// Refuses a kernel that uses a name of an offset, such as `r`, which the text defines otherwise.
void Semantics::require_own_offsets(const Syntax& formula, std::set<std::string>& seen) const {
    for (const Syntax& part : formula.args) require_own_offsets(part, seen);
    if (formula.kind != SyntaxKind::name) return;
    if (is_offset_name(formula.text) &&
        (is_own(formula.text) || is_own_name(equations_.elliptic, formula.text)))
        refuse(formula.span,
               "`{0}` has a meaning of its own in this text, and a kernel needs it for its offset: take "
               "another name for the text's `{0}`",
               formula.text);
    const auto definition = std::ranges::find(statements_.definitions, formula.text, &NamedFormula::name);
    if (definition == statements_.definitions.end() || !seen.insert(formula.text).second) return;
    require_own_offsets(definition->formula, seen);
}

// Refuses kernels that are not formulas of offsets, parameters and sums over these.
void Semantics::require_kernel(Node node, const Syntax& formula) const {
    const Graph& g = equations_.graph;
    constexpr std::string_view kFormula =
        "a kernel is a formula of r, rx, ry, numbers and parameters, and "
        "{} cannot stand in it";
    g.walk(
        node,
        [&](Node part) {
            const Expression& e = g[part];
            if (e.op == Op::total && g.has_offsets(e.args[0])) return require_kernel(e.args[0], formula);
            const bool of_time = e.op == Op::t || e.op == Op::step || e.op == Op::dt || e.op == Op::past;
            const char* what = is_global(e.op)                  ? "values of the whole field"
                               : reaches_neighbours(e.op)       ? "derivatives and neighbours"
                               : of_time                        ? "the time"
                               : e.op == Op::random             ? "random numbers"
                               : e.op == Op::x || e.op == Op::y ? "x and y, the position of a cell,"
                               : e.op == Op::component || e.op == Op::unknown || e.op == Op::data ||
                                       e.op == Op::stored || is_whole_field(e.op)
                                   ? "fields"
                                   : nullptr;
            if (what != nullptr) refuse(formula.span, kFormula, what);
        },
        false);
}

Node Semantics::convolution(const Syntax& call, const Value& field, const Value& kernel) {
    Graph& g = equations_.graph;
    const Syntax& formula = call.args[1];
    const Node of = field_of(field, call.text), with = scalar_of(kernel, call.text);
    refuse_offsets(of, call.args[0]);
    std::set<std::string> seen;
    require_own_offsets(formula, seen);
    require_kernel(with, formula);
    if (!g.has_offsets(with))
        refuse(formula.span,
               "a kernel is a formula of the distance `r` or the offsets `rx` and `ry`, such as "
               "`exp(-r^2)`, and this is the same at all of them");
    const auto known = std::ranges::find(equations_.kernels, with, &TypedKernel::formula);
    const int index = int(known - equations_.kernels.begin());
    if (known == equations_.kernels.end()) equations_.kernels.push_back({with, to_text(formula), call.span});
    return g.convolved(of, index);
}

void Semantics::check_convolutions() const {
    if (equations_.kernels.empty()) return;
    if (equations_.inside)
        refuse(equations_.kernels.front().span,
               "`inside` bounds the field, and `conv` takes all of it by transforms");
    Equations apart = equations_;
    Reflections reflections(apart);
    const auto require = [&](Node formula) {
        std::map<Node, int> convolved;
        apart.graph.walk(reflections.continued(formula), [&](Node part) {
            const Expression& e = apart.graph[part];
            if (e.op == Op::convolved) convolved[e.args[0]] = e.index;
        });
        for (const auto& [argument, kernel] : convolved) try {
                lowered_convolutions(apart, reflections, argument, {kernel});
            } catch (const InputError& what) {
                refuse(equations_.kernels[std::size_t(kernel)].span, "{}", what.what());
            }
    };
    for (std::size_t c = 0; c < apart.components.size(); ++c) require(apart.components[c].formula);
    for (const Defined& definition : std::vector(apart.definitions)) try {
            require(definition.formula);
        } catch (const Meaningless&) {
            continue;  // reported when it is shown
        }
}

void Semantics::refuse_offsets(Node node, const Syntax& formula) const {
    if (!equations_.graph.has_offsets(node)) return;
    refuse(place_of_offset(formula).value_or(formula.span),
           "`r`, `rx` and `ry` are the offsets in a kernel, such as `conv(u, exp(-r^2))`, and have no value "
           "elsewhere: another `r` needs a line of its own, such as `r = 1`");
}

}  // namespace stencil::equation
