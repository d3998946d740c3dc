#include "sim/problem/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/model/equations.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/text/rewriting.h"
#include "sim/problem/run_text.h"
#include "sim/problem/start.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using equation::Equations;
using equation::Node;

constexpr std::array<std::array<std::string_view, 2>, 2> kEdges{{{"left", "right"}, {"top", "bottom"}}};

// The definitions with x or y, whichever runs along the axis, and not with the other.
std::vector<std::string> names_with(const equation::Statements& text, std::size_t axis) {
    constexpr std::array<std::string_view, 2> kPlace{"x", "y"};
    std::vector<std::string> names;
    for (const equation::NamedFormula& one : text.definitions)
        if (mentions(one.formula, kPlace[axis]) && !mentions(one.formula, kPlace[1 - axis]))
            names.push_back(one.name);
    return names;
}

// Whether it varies along this axis alone, and a parameter sets it.
bool may_be_spread(const Equations& equations, Node formula, std::size_t axis) {
    const equation::Dependence& on = equations.graph.depends(formula);
    if (on.cell || on.time || on.global || on.column != (axis == 0) || on.row != (axis == 1)) return false;
    bool set = false;
    equations.graph.walk(formula,
                         [&](Node part) { set |= equations.graph[part].op == equation::Op::parameter; });
    return set;
}

// Whether the values at equal distances lie on a line that is not level.
bool is_linear(const std::array<double, 5>& values) {
    const double rise = values.back() - values.front();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = values.front() + rise * double(i) / double(values.size() - 1);
        if (!(std::abs(values[i] - expected) <= 1e-9 * std::abs(rise))) return false;
    }
    return rise != 0;
}

std::string fresh_name(const Equations& equations, const std::string& wished) {
    std::string name = wished;
    for (int i = 2; equations.text.find(name) != std::string::npos; ++i)
        name = fmt::format("{}{}", wished, i);
    return name;
}

}  // namespace

std::optional<Spread> spread_along(const RunSpec& spec, std::size_t axis) {
    const std::vector<std::string> names = names_with(*spec.model->equations->statements, axis);
    if (!spec.size || names.empty()) return std::nullopt;
    std::shared_ptr<const PlannedEquations> plans;
    try {
        plans = planned_equations(spec, names);
    } catch (const InputError&) {
        return std::nullopt;  // vectors and complex numbers are not shown
    }
    const Equations& equations = plans->equations();
    equation::UniformState state;
    state.components.assign(equations.components.size(), 0);
    state.parameters = spec.parameters;
    state.spacing = spec.dx;
    state.nx = spec.size->nx;
    state.ny = spec.size->ny;
    const double length = spec.dx * (axis == 0 ? state.nx : state.ny);
    for (std::size_t one = 0; one < names.size(); ++one) {
        const Node formula = equations.extra[one];
        if (!may_be_spread(equations, formula, axis)) continue;
        std::array<double, 5> values{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            (axis == 0 ? state.x : state.y) = length * double(i) / double(values.size() - 1);
            values[i] = value_at(equations, formula, state);
        }
        if (is_linear(values)) return Spread{names[one], values.front(), values.back()};
    }
    return std::nullopt;
}

std::string spread_text(const RunSpec& now,
                        std::string_view parameter,
                        std::size_t axis,
                        const std::array<double, 2>& range) {
    const equation::Statements read = equation::read_statements(text_of_run(now));
    const auto row = std::ranges::find(read.parameters, parameter, &equation::ParameterStatement::name);
    if (row == read.parameters.end()) throw InputError("spread: no parameter is called '{}'", parameter);
    equation::Rewriting text(read);
    std::array<std::string, 2> ends;
    const double low = std::min({range[0], range[1], row->low}),
                 high = std::max({range[0], range[1], row->high});
    for (std::size_t i = 0; i < 2; ++i) {
        ends[i] = fresh_name(*now.model->equations, fmt::format("{}_{}", parameter, kEdges[axis][i]));
        const std::string unit = row->unit.empty() ? "" : " " + row->unit;
        const std::string slider = low < high ? fmt::format(" in [{}, {}]", low, high) : "";
        text.add(fmt::format("{} = {}{}{}", ends[i], format_real(range[i]), slider, unit));
    }
    // Coordinates are measured from the corner that the text states.
    std::string place(axis == 0 ? "x" : "y");
    const auto* origin = text.find(equation::StatementForm::value, "origin");
    if (origin) place = fmt::format("({} - ({}))", place, to_text((*read.origin)[axis]));
    text.replace(text.find(equation::StatementForm::value, parameter)->value,
                 fmt::format("{0} + ({1} - {0})*{2}/{3}", ends[0], ends[1], place, axis == 0 ? "Lx" : "Ly"));
    return text.text();
}

}  // namespace stencil
