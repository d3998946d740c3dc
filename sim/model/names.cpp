// Name resolution, and messages for names that are not defined.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <tuple>

#include "sim/model/semantics.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

template <class Rows>
auto find_named(Rows& rows, std::string_view name) {
    return std::ranges::find_if(rows, [&](const auto& row) { return row.name == name; });
}

constexpr auto kKnown = std::to_array<KnownName>({
    {"x", "the cell's centre along x, from 0 at the left", Op::x},
    {"y", "the cell's centre along y, from 0 at the top", Op::y},
    {"t", "the time", Op::t},
    {"step", "the number of the step", Op::step},
    {"pi", "3.14159..."},
    {"dt", "the time step", Op::dt},
    {"dx", "the cell size", Op::spacing},
    {"dy", "the cell size, as dx", Op::spacing},
    {"nx", "the number of columns", Op::columns},
    {"ny", "the number of rows", Op::rows},
    {"Lx", "the field's width, nx*dx"},
    {"Ly", "the field's height, ny*dx"},
});

using Formulas = std::pair<std::string_view, std::string_view>;

// Names of lengths and places here, in VisualPDE and in Ready, whose y axis points up.
constexpr auto kNamedFormulas = std::to_array<Formulas>({{"Lx", "nx*dx"},
                                                         {"Ly", "ny*dx"},
                                                         {"L_x", "nx*dx"},
                                                         {"L_y", "ny*dx"},
                                                         {"x_pos", "x/(nx*dx)"},
                                                         {"y_pos", "1 - y/(ny*dx)"}});

}  // namespace

std::span<const KnownName> known_names() {
    return kKnown;
}

// Whether a boundary condition mentions the name.
bool Semantics::has_sides(std::string_view name) const {
    return std::ranges::any_of(statements_.sides, [&](const SideStatement& side) {
        return mentions(side.left, name) || mentions(side.right, name);
    });
}

// Looks a name up among the text's components, parameters and definitions.
std::optional<Value> Semantics::own_name(const std::string& name, TextSpan span) {
    const auto component = find_named(equations_.components, name);
    if (component != equations_.components.end())
        return graph().leaf(Op::component, int(component - equations_.components.begin()));
    const auto parameter = find_named(equations_.parameters, name);
    if (parameter != equations_.parameters.end())
        return graph().leaf(Op::parameter, int(parameter - equations_.parameters.begin()));
    if (const auto done = definitions_.find(name); done != definitions_.end()) return done->second;
    const auto definition = find_named(statements_.definitions, name);
    if (definition == statements_.definitions.end()) {
        const auto added = find_named(equations_.definitions, name);
        if (added == equations_.definitions.end()) return std::nullopt;
        return added->formula;
    }
    if (std::ranges::find(in_work_, name) != in_work_.end()) {
        std::string circle;
        for (auto of = std::ranges::find(in_work_, name); of != in_work_.end(); ++of)
            circle += fmt::format("`{}` needs ", *of);
        refuse(span, "{}`{}`: definitions go in a circle", circle, name);
    }
    constexpr std::size_t kDeep = 100;
    if (in_work_.size() >= kDeep) refuse(span, "definitions that need each other are at most {} deep", kDeep);
    in_work_.push_back(name);
    Value value = this->value(definition->formula);
    in_work_.pop_back();
    if (value.kind == Value::Kind::scalar && graph().depends(value.node).cell && has_sides(name))
        value = graph().stored(value.node, int(definition - statements_.definitions.begin()));
    return definitions_.emplace(name, std::move(value)).first->second;
}

std::optional<Value> Semantics::known_name(const std::string& name) {
    const auto row = find_named(kKnown, name);
    if (row != kKnown.end() && row->leaf) return graph().leaf(*row->leaf);
    if (name == "pi") return graph().number(std::numbers::pi);
    const auto named = std::ranges::find(kNamedFormulas, name, &Formulas::first);
    if (named != kNamedFormulas.end()) return built_in(named->second, {});
    const Function* function = find_function(name);
    if (function != nullptr && function->most == 0) return applied(*function, {}, {});
    return std::nullopt;
}

// Accepts derivatives as VisualPDE (u_x) and Ready (laplacian_u) write them. Ready's y axis points up, so its
// y derivatives change sign.
std::optional<Value> Semantics::spelled_otherwise(const Syntax& name) {
    static constexpr auto kPrefixes = std::to_array<Formulas>({
        {"laplacian_", "lap(a)"},
        {"bilaplacian_", "lap2(a)"},
        {"trilaplacian_", "lap(lap2(a))"},
        {"x_gradient_", "dx(a)"},
        {"y_gradient_", "-dy(a)"},
        {"x_deriv2_", "dxx(a)"},
        {"y_deriv2_", "dyy(a)"},
        {"x_deriv3_", "dx(dxx(a))"},
        {"y_deriv3_", "-dy(dyy(a))"},
        {"gradient_mag_squared_", "grad2(a)"},
    });
    static constexpr auto kSuffixes = std::to_array<Formulas>({
        {"_xxx", "dx(dxx(a))"},
        {"_yyy", "dy(dyy(a))"},
        {"_xx", "dxx(a)"},
        {"_yy", "dyy(a)"},
        {"_xy", "dxy(a)"},
        {"_yx", "dxy(a)"},
        {"_xf", "dxf(a)"},
        {"_xb", "dxb(a)"},
        {"_yf", "dyf(a)"},
        {"_yb", "dyb(a)"},
        {"_x", "dx(a)"},
        {"_y", "dy(a)"},
    });
    const std::string_view text = name.text;
    const auto of = [&](std::size_t from, std::size_t dropped) {
        return own_name(std::string(text.substr(from, text.size() - from - dropped)), name.span);
    };
    for (const auto& [prefix, formula] : kPrefixes)
        if (text.starts_with(prefix))
            if (const auto field = of(prefix.size(), 0)) {
                if (prefix.ends_with("laplacian_")) tell_points(name.text);
                return built_in(formula, {*field}, name.span);
            }
    for (const auto& [suffix, formula] : kSuffixes)
        if (text.ends_with(suffix))
            if (const auto field = of(0, suffix.size())) return built_in(formula, {*field}, name.span);
    return neighbour_by_compass(name);
}

void Semantics::tell_points(const std::string& name) {
    const std::string note =
        fmt::format("`{}` has 9 points in Ready, and 5 here: `laplacian = isotropic` makes them 9", name);
    if (!isotropic && std::ranges::find(equations_.notes, note) == equations_.notes.end())
        equations_.notes.push_back(note);
}

// Accepts neighbours as Ready names them by compass points: u_n, u_ne2. North is the row above.
std::optional<Value> Semantics::neighbour_by_compass(const Syntax& name) {
    static constexpr auto kWays =
        std::to_array<std::tuple<char, int, int>>({{'n', 0, -1}, {'s', 0, 1}, {'e', 1, 0}, {'w', -1, 0}});
    const std::size_t bar = name.text.rfind('_');
    if (bar == std::string::npos || bar + 1 == name.text.size()) return std::nullopt;
    int column = 0, row = 0;
    for (std::size_t i = bar + 1; i < name.text.size(); ++i) {
        const auto way = std::ranges::find(kWays, name.text[i], [](const auto& w) { return std::get<0>(w); });
        if (way == kWays.end()) return std::nullopt;
        const bool far = i + 1 < name.text.size() && name.text[i + 1] >= '1' && name.text[i + 1] <= '8';
        const int cells = far ? name.text[++i] - '0' : 1;
        column += cells * std::get<1>(*way);
        row += cells * std::get<2>(*way);
    }
    const auto of = own_name(name.text.substr(0, bar), name.span);
    if (!of) return std::nullopt;
    return graph().neighbour(scalar_of(*of, name.text), column, row);
}

std::vector<std::string> Semantics::names_in_use() const {
    std::vector<std::string> names;
    for (const auto& row : equations_.components) names.push_back(row.name);
    for (const auto& row : equations_.parameters) names.push_back(row.name);
    for (const auto& row : statements_.definitions) names.push_back(row.name);
    for (const KnownName& row : kKnown) names.emplace_back(row.name);
    for (const std::string_view name : {"random", "normal"}) names.emplace_back(name);
    return names;
}

void Semantics::refuse_unknown(const Syntax& name) {
    const std::string shown = quotable(name.text);
    if (const Function* function = find_function(name.text))
        refuse(name.span,
               "`{}` is a function, {}: write `{}({})`",
               shown,
               function->help,
               shown,
               function->least == 2 ? "a, b" : "u");
    static constexpr auto kMends = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"e", "`e^u` is written `exp(u)`"},
        {"L", "the field's lengths are Lx and Ly, the larger one `max(Lx, Ly)`"},
        {"I_S", "a picture's brightness is `image(\"FILE\")`"},
        {"I_T", "a picture's brightness is `image(\"FILE\")`"},
        {"L_min", "the smaller of the field's lengths is `min(Lx, Ly)`"},
        {"WhiteNoise", "noise of unit strength in space and time is `normal/(sqrt(dt)*dx)`"},
        {"I", "a complex field is two components, its real and its imaginary part"},
    });
    for (const auto& [other, mend] : kMends)
        if (name.text == other) refuse(name.span, "`{}` is not defined: {}", other, mend);
    for (const Evolution& e : statements_.evolutions) {
        if (name.text == e.component + "_t" || name.text == "delta_" + e.component)
            refuse(name.span,
                   "`{0} = ...` is the rate d{1}/dt: take another name",
                   shown,
                   quotable(e.component));
    }
    // Suggests u*v for "uv".
    const std::vector<std::string> names = names_in_use();
    const auto known = [&](std::string_view part) { return std::ranges::find(names, part) != names.end(); };
    for (std::size_t cut = 1; cut < name.text.size(); ++cut)
        if (known(name.text.substr(0, cut)) && known(name.text.substr(cut)))
            refuse(name.span,
                   "`{}` is not defined: write `{}*{}`",
                   shown,
                   name.text.substr(0, cut),
                   name.text.substr(cut));
    std::string nearest = nearest_name(name.text, names);
    // For names of one or two letters only a change of case counts as a near miss.
    const auto same_letters = [](char p, char q) { return (p | 0x20) == (q | 0x20); };
    if (name.text.size() <= 2 && !std::ranges::equal(name.text, nearest, same_letters)) nearest.clear();
    for (const Evolution& e : statements_.evolutions)
        if (nearest.empty() && name.text == "d" + e.component)
            refuse(name.span, "a derivative is written `dx({0})` or `dy({0})`", quotable(e.component));
    for (const std::string_view delta : {"Δ", "∆"})
        if (nearest.empty() && name.text.starts_with(delta) && name.text.size() > delta.size())
            refuse(name.span, "the Laplacian is written `lap({})`", quotable(name.text.substr(delta.size())));
    refuse(name.span,
           "`{}` is not defined: {}",
           shown,
           nearest.empty() ? fmt::format("give it a value, `{} = 1 in [0, 2]`, or an equation", shown)
                           : fmt::format("did you mean `{}`?", quotable(nearest)));
}

void Semantics::refuse_unknown_function(const std::string& name, TextSpan span) const {
    // VisualPDE functions that do not exist here, with the formula to use instead.
    static constexpr auto kMends = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"H", "a sharp step is `heaviside(u)`, a smooth one `(1 + tanh(10*u))/2`"},
        {"Bump", "a hill at (a, b) is `exp(-((x - a)^2 + (y - b)^2)/r^2)`"},
        {"Gauss", "a hill at (a, b) is `exp(-((x - a)^2 + (y - b)^2)/r^2)`"},
        {"sech", "write `1/cosh(u)`"},
        {"integral", "sums over the whole field are no part of a formula"},
        {"GlobalInt", "sums over the whole field are no part of a formula"},
        {"sum", "sums over the whole field are no part of a formula"},
        {"mean", "sums over the whole field are no part of a formula"},
        {"Int", "sums over the whole field are no part of a formula"},
        {"clamp", "write `min(max(u, a), b)`"},
        {"if", "write `where(condition, a, b)`"},
        {"inner", "the product of two vectors is `dot(a, b)`"},
        {"curl", "of (u, v) it is `dx(v) - dy(u)`"},
        {"I_S", "a picture's brightness is `image(\"FILE\")`, a cell further on `image(\"FILE\")[+1,0]`"},
        {"I_T", "a picture's brightness is `image(\"FILE\")`, a cell further on `image(\"FILE\")[+1,0]`"},
        {"derivative", "across a side it is `flux(u)`, else `dx(u)` or `dy(u)`"},
    });
    const auto row =
        std::ranges::find(kMends, std::string_view(name), [](const auto& mend) { return mend.first; });
    std::string mend(row == kMends.end() ? "" : row->second);
    // Suggests D*lap for "Dlap".
    const std::vector<std::string> known = names_in_use();
    for (std::size_t cut = 1; cut < name.size() && mend.empty(); ++cut)
        if (find_function(name.substr(cut)) != nullptr &&
            std::ranges::find(known, name.substr(0, cut)) != known.end())
            refuse(span,
                   "`{}` is no function: write `{}*{}(...)`",
                   quotable(name),
                   name.substr(0, cut),
                   name.substr(cut));
    if (mend.empty()) mend = nearest_name(name, function_names());
    if (!mend.empty() && row == kMends.end()) mend = fmt::format("did you mean `{}`?", mend);
    refuse(span, "`{}` is no function{}{}", quotable(name), mend.empty() ? "" : ": ", mend);
}

}  // namespace stencil::equation
