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

// The predefined names that are leaves of the graph.
struct KnownLeaf {
    std::string_view name;
    Op op;
};
constexpr auto kLeaves = std::to_array<KnownLeaf>({
    {"x", Op::x},
    {"y", Op::y},
    {"t", Op::t},
    {"step", Op::step},
    {"dt", Op::dt},
    {"dx", Op::spacing},
    {"dy", Op::spacing},
    {"nx", Op::columns},
    {"ny", Op::rows},
});

constexpr auto kKnown = std::to_array<KnownName>({
    {"x", "the cell's centre along x, from 0 at the left"},
    {"y", "the cell's centre along y, from 0 at the top"},
    {"t", "the time"},
    {"step", "the number of the step"},
    {"pi", "3.14159..."},
    {"dt", "the time step"},
    {"dx", "the cell size"},
    {"dy", "the cell size, as dx"},
    {"nx", "the number of columns"},
    {"ny", "the number of rows"},
    {"Lx", "the field's width, nx*dx"},
    {"Ly", "the field's height, ny*dx"},
});

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
        return scalar_value(graph().leaf(Op::component, int(component - equations_.components.begin())),
                            span);
    const auto parameter = find_named(equations_.parameters, name);
    if (parameter != equations_.parameters.end())
        return scalar_value(graph().leaf(Op::parameter, int(parameter - equations_.parameters.begin())),
                            span);
    if (const auto done = definitions_.find(name); done != definitions_.end()) return done->second;
    const auto definition = find_named(statements_.definitions, name);
    if (definition == statements_.definitions.end()) {
        const auto added = find_named(equations_.definitions, name);
        if (added == equations_.definitions.end()) return std::nullopt;
        return scalar_value(added->formula, span);
    }
    if (std::ranges::find(in_work_, name) != in_work_.end()) {
        std::string circle;
        for (auto of = std::ranges::find(in_work_, name); of != in_work_.end(); ++of)
            circle += fmt::format("`{}` needs ", *of);
        refuse(span, fmt::format("{}`{}`: definitions go in a circle", circle, name));
    }
    constexpr std::size_t kDeep = 100;
    if (in_work_.size() >= kDeep)
        refuse(span, fmt::format("definitions that need each other are at most {} deep", kDeep));
    in_work_.push_back(name);
    Value value = this->value(definition->formula);
    in_work_.pop_back();
    if (value.kind == Value::Kind::scalar && graph().depends(value.node).cell && has_sides(name))
        value =
            scalar_value(graph().stored(value.node, int(definition - statements_.definitions.begin())), span);
    return definitions_.emplace(name, std::move(value)).first->second;
}

std::optional<Value> Semantics::known_name(const std::string& name) {
    Graph& g = graph();
    const auto row = find_named(kLeaves, name);
    if (row != kLeaves.end()) return scalar_value(g.leaf(row->op), {});
    if (name == "pi") return scalar_value(g.number(std::numbers::pi), {});
    if (name == "Lx" || name == "L_x") return scalar_value(g.multiply(g.leaf(Op::columns), spacing()), {});
    if (name == "Ly" || name == "L_y") return scalar_value(g.multiply(g.leaf(Op::rows), spacing()), {});
    const auto share = [&](Op span, Op cells) {
        return g.divide(g.leaf(span), g.multiply(g.leaf(cells), spacing()));
    };
    if (name == "x_pos") return scalar_value(share(Op::x, Op::columns), {});
    if (name == "y_pos") return scalar_value(g.subtract(g.number(1), share(Op::y, Op::rows)), {});
    const Function* function = find_function(name);
    if (function != nullptr && function->most == 0) return function->apply(*this, {}, {});
    return std::nullopt;
}

// Accepts derivatives as VisualPDE (u_x) and Ready (laplacian_u) write them. Ready's y axis points up, so its
// y derivatives change sign.
std::optional<Value> Semantics::spelled_otherwise(const Syntax& name) {
    static constexpr auto kPrefixes = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"laplacian_", "lap"},
        {"bilaplacian_", "lap2"},
        {"trilaplacian_", "lap lap2"},
        {"x_gradient_", "dx"},
        {"y_gradient_", "neg dy"},
        {"x_deriv2_", "dxx"},
        {"y_deriv2_", "dyy"},
        {"x_deriv3_", "dx dxx"},
        {"y_deriv3_", "neg dy dyy"},
        {"gradient_mag_squared_", "grad2"},
    });
    static constexpr auto kSuffixes = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"_xxx", "dx dxx"},
        {"_yyy", "dy dyy"},
        {"_xx", "dxx"},
        {"_yy", "dyy"},
        {"_xy", "dxy"},
        {"_yx", "dxy"},
        {"_xf", "dxf"},
        {"_xb", "dxb"},
        {"_yf", "dyf"},
        {"_yb", "dyb"},
        {"_x", "dx"},
        {"_y", "dy"},
    });
    // Builds nested calls from the last function outwards.
    const auto as_call = [&](std::string_view functions, std::string_view of) -> std::optional<Value> {
        if (!own_name(std::string(of), name.span)) return std::nullopt;
        Syntax formula{SyntaxKind::name, std::string(of), 0, 0, 0, {}, name.span, 1};
        std::vector<std::string> names = split(functions, ' ');
        for (; !names.empty(); names.pop_back()) {
            Syntax call{SyntaxKind::call, names.back(), 0, 0, 0, {}, name.span, formula.depth + 1};
            call.args.push_back(std::move(formula));
            formula = std::move(call);
        }
        return value(formula);
    };
    const std::string_view text = name.text;
    for (const auto& [prefix, function] : kPrefixes)
        if (text.starts_with(prefix))
            if (auto value = as_call(function, text.substr(prefix.size()))) {
                if (prefix.ends_with("laplacian_")) tell_points(name.text);
                return value;
            }
    for (const auto& [suffix, function] : kSuffixes)
        if (text.ends_with(suffix))
            if (auto value = as_call(function, text.substr(0, text.size() - suffix.size()))) return value;
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
    return scalar_value(graph().neighbour(scalar_of(*of, name.text), column, row), name.span);
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
               fmt::format("`{}` is a function, {}: write `{}({})`",
                           shown,
                           function->help,
                           shown,
                           function->least == 2 ? "a, b" : "u"));
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
        if (name.text == other) refuse(name.span, fmt::format("`{}` is not defined: {}", other, mend));
    for (const Evolution& e : statements_.evolutions) {
        if (name.text == e.component + "_t" || name.text == "delta_" + e.component)
            refuse(name.span,
                   fmt::format(
                       "`{0} = ...` is the rate d{1}/dt: take another name", shown, quotable(e.component)));
    }
    // Suggests u*v for "uv".
    const std::vector<std::string> names = names_in_use();
    const auto known = [&](std::string_view part) { return std::ranges::find(names, part) != names.end(); };
    for (std::size_t cut = 1; cut < name.text.size(); ++cut)
        if (known(name.text.substr(0, cut)) && known(name.text.substr(cut)))
            refuse(name.span,
                   fmt::format("`{}` is not defined: write `{}*{}`",
                               shown,
                               name.text.substr(0, cut),
                               name.text.substr(cut)));
    std::string nearest = nearest_name(name.text, names);
    // For names of one or two letters only a change of case counts as a near miss.
    const auto same_letters = [](char p, char q) { return (p | 0x20) == (q | 0x20); };
    if (name.text.size() <= 2 && !std::ranges::equal(name.text, nearest, same_letters)) nearest.clear();
    for (const Evolution& e : statements_.evolutions)
        if (nearest.empty() && name.text == "d" + e.component)
            refuse(name.span,
                   fmt::format("a derivative is written `dx({0})` or `dy({0})`", quotable(e.component)));
    for (const std::string_view delta : {"Δ", "∆"})
        if (nearest.empty() && name.text.starts_with(delta) && name.text.size() > delta.size())
            refuse(
                name.span,
                fmt::format("the Laplacian is written `lap({})`", quotable(name.text.substr(delta.size()))));
    refuse(name.span,
           fmt::format("`{}` is not defined: {}",
                       shown,
                       nearest.empty()
                           ? fmt::format("give it a value, `{} = 1 in [0, 2]`, or an equation", shown)
                           : fmt::format("did you mean `{}`?", quotable(nearest))));
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
                   fmt::format("`{}` is no function: write `{}*{}(...)`",
                               quotable(name),
                               name.substr(0, cut),
                               name.substr(cut)));
    if (mend.empty()) mend = nearest_name(name, function_names());
    if (!mend.empty() && row == kMends.end()) mend = fmt::format("did you mean `{}`?", mend);
    refuse(span, fmt::format("`{}` is no function{}{}", quotable(name), mend.empty() ? "" : ": ", mend));
}

}  // namespace stencil::equation
