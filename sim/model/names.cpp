// Name resolution, and messages for names that are not defined.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/model/semantics.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

template <class Rows>
auto find_named(Rows& rows, std::string_view name) {
    return std::ranges::find_if(rows, [&](const auto& row) { return row.name == name; });
}

constexpr std::string_view kWhiteNoise = "normal/sqrt(dt*where(min(nx, ny) > 1, dx^2, dx))";
constexpr std::string_view kOtherNoise = "such noise, independent of the others";

constexpr auto kKnown = std::to_array<KnownName>({
    {"x", "the cell's centre along x, from 0 at the left", Op::x},
    {"y", "the cell's centre along y, from 0 at the top", Op::y},
    {"t", "the time", Op::t},
    {"step", "the number of the step", Op::step},
    {"pi", "3.14159...", {}, "3.141592653589793"},
    {"dt", "the time step", Op::dt},
    {"dx", "the cell size", Op::spacing},
    {"dy", "the cell size, as dx", Op::spacing},
    {"nx", "the number of columns", Op::columns},
    {"ny", "the number of rows", Op::rows},
    {"Lx", "the field's width, nx*dx", {}, "nx*dx"},
    {"Ly", "the field's height, ny*dx", {}, "ny*dx"},
    {"L_x", "the field's width (VisualPDE)", {}, "nx*dx"},
    {"L_y", "the field's height (VisualPDE)", {}, "ny*dx"},
    {"L", "the larger of the field's lengths (VisualPDE)", {}, "max(nx, ny)*dx", kYields},
    {"L_min", "the smaller of the field's lengths (VisualPDE)", {}, "min(nx, ny)*dx", kYields},
    {"x_pos", "x from 0 to 1 (Ready)", {}, "x/(nx*dx)", kYields},
    {"y_pos", "from 0 at the bottom to 1 at the top (Ready)", {}, "1 - y/(ny*dx)", kYields},
    {"rx", "in a kernel, the offset along x of a cell from the one it acts on", Op::offset_x, {}, kYields},
    {"ry", "in a kernel, the offset along y of a cell from the one it acts on", Op::offset_y, {}, kYields},
    {"r", "in a kernel, the distance of both cells", {}, "sqrt(rx^2 + ry^2)", kYields},
    {"WhiteNoise",
     "noise of unit strength in space and time, one number per cell and step (VisualPDE)",
     {},
     kWhiteNoise,
     kYields},
    {"WhiteNoise_1", "the same as WhiteNoise", {}, "WhiteNoise", kYields},
    {"WhiteNoise_2", kOtherNoise, {}, kWhiteNoise, kYields},
    {"WhiteNoise_3", kOtherNoise, {}, kWhiteNoise, kYields},
    {"WhiteNoise_4", kOtherNoise, {}, kWhiteNoise, kYields},
});

using Formulas = std::pair<std::string_view, std::string_view>;

}  // namespace

bool is_offset_name(std::string_view name) {
    return name == "r" || name == "rx" || name == "ry";
}

std::span<const KnownName> known_names() {
    return kKnown;
}

// Whether a condition mentions the name. Those at the edge of `inside` may mention definitions that have no
// condition of their own; that these become arrays changes no value.
bool Semantics::has_sides(std::string_view name) const {
    const auto mentions_it = [&](const SideStatement& side) {
        return mentions(side.left, name) || mentions(side.right, name);
    };
    return std::ranges::any_of(statements_.sides, mentions_it) ||
           std::ranges::any_of(statements_.edges, mentions_it);
}

bool Semantics::is_own(std::string_view name) const {
    const auto is = [&](const auto& row) { return row.name == name; };
    return std::ranges::any_of(statements_.evolutions,
                               [&](const Evolution& e) { return e.component == name; }) ||
           std::ranges::any_of(statements_.parameters, is) ||
           std::ranges::any_of(statements_.definitions, is);
}

void Semantics::enter(const std::string& name, TextSpan span) {
    if (std::ranges::find(in_work_, name) != in_work_.end()) {
        std::string circle;
        for (auto of = std::ranges::find(in_work_, name); of != in_work_.end(); ++of)
            circle += fmt::format("`{}` needs ", *of);
        refuse(span, "{}`{}`: definitions go in a circle", circle, name);
    }
    constexpr std::size_t kDeep = 100;
    if (in_work_.size() >= kDeep) refuse(span, "definitions that need each other are at most {} deep", kDeep);
    in_work_.push_back(name);
}

// Looks a name up among the arguments of an own function and the text's components, parameters and
// definitions.
std::optional<Value> Semantics::own_name(const std::string& name, TextSpan span) {
    if (bound_)
        if (const auto argument = bound_->find(name); argument != bound_->end()) return argument->second;
    if (is_complex_name(name)) {
        const auto [re, im] = parts_of(name);
        return joined(own_name(re, span).value_or(Value()), own_name(im, span).value_or(Value()));
    }
    const auto component = find_named(equations_.components, name);
    if (component != equations_.components.end() && !equations_.solved_alone)
        return graph().leaf(Op::component, int(component - equations_.components.begin()));
    const auto parameter = find_named(equations_.parameters, name);
    if (parameter != equations_.parameters.end())
        return graph().leaf(Op::parameter, int(parameter - equations_.parameters.begin()));
    const auto solved = find_named(equations_.elliptic, name);
    if (solved != equations_.elliptic.end())
        return solution(std::size_t(solved - equations_.elliptic.begin()), span);
    if (const auto done = definitions_.find(name); done != definitions_.end()) return done->second;
    const auto definition = find_named(statements_.definitions, name);
    if (definition == statements_.definitions.end()) {
        const auto added = find_named(equations_.definitions, name);
        if (added != equations_.definitions.end()) return added->formula;
        if (const auto channel = picture_named(name)) return data(*channel);
        return channel_of_number(name, span);
    }
    enter(name, span);
    const auto* outer = std::exchange(bound_, nullptr);
    const bool in_start = std::exchange(in_start_, false);
    Value value = this->value(definition->formula);
    bound_ = outer;
    in_start_ = in_start;
    in_work_.pop_back();
    if (value.is_complex() && has_sides(name))
        refuse(definition->span,
               "`{0}` is complex and no component, and has no conditions: define parts of it, as in "
               "`{0}_re = real(...)`, and give them some",
               quotable(name));
    if (value.kind == Value::Kind::scalar && graph().depends(value.node).cell && has_sides(name))
        value = graph().stored(value.node, int(definition - statements_.definitions.begin()));
    return definitions_.emplace(name, std::move(value)).first->second;
}

std::optional<Value> Semantics::known_name(const std::string& name) {
    const auto row = find_named(kKnown, name);
    if (name == "x" || name == "y") return coordinate(name == "x");
    if (row != kKnown.end() && row->leaf) return graph().leaf(*row->leaf);
    if (row != kKnown.end()) {
        // Cached, so that a noise term is the same number wherever the text names it.
        const auto known = known_.find(row->name);
        if (known != known_.end()) return known->second;
        const bool from_corner = std::exchange(from_corner_, true);
        const Value value = built_in(row->formula, {});
        from_corner_ = from_corner;
        return known_.emplace(row->name, value).first->second;
    }
    const Function* function = find_function(name);
    if (function != nullptr && function->most == 0) return applied(*function, {}, {});
    return std::nullopt;
}

Node Semantics::coordinate(bool along_x) {
    const Node centre = graph().leaf(along_x ? Op::x : Op::y);
    if (!statements_.origin || from_corner_) return centre;
    if (const auto known = coordinates_.find(along_x); known != coordinates_.end()) return known->second;
    const Syntax& formula = (*statements_.origin)[along_x ? 0 : 1];
    const auto* outer = std::exchange(arguments_, nullptr);
    const auto* bound = std::exchange(bound_, nullptr);
    from_corner_ = true;
    const Node corner = scalar(formula);
    from_corner_ = false;
    arguments_ = outer;
    bound_ = bound;
    const Dependence& depends = graph().depends(corner);
    if (!depends.uniform() || depends.time)
        refuse(formula.span, "the corner has one place: `origin` is made of numbers, parameters, Lx and Ly");
    return coordinates_[along_x] = graph().add(centre, corner);
}

// Accepts derivatives as VisualPDE (u_x) and Ready (laplacian_u) write them. Ready's y axis points up, so its
// y derivatives change sign.
std::optional<Value> Semantics::spelled_otherwise(const Syntax& name) {
    static constexpr auto kPrefixes = std::to_array<Formulas>({
        {"Δ", "lap(a)"},
        {"∆", "lap(a)"},
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
        {"sobelN_", "a[-1,-1] + 2*a[0,-1] + a[1,-1] - a[-1,1] - 2*a[0,1] - a[1,1]"},
        {"sobelS_", "a[-1,1] + 2*a[0,1] + a[1,1] - a[-1,-1] - 2*a[0,-1] - a[1,-1]"},
        {"sobelE_", "a[1,-1] + 2*a[1,0] + a[1,1] - a[-1,-1] - 2*a[-1,0] - a[-1,1]"},
        {"sobelW_", "a[-1,-1] + 2*a[-1,0] + a[-1,1] - a[1,-1] - 2*a[1,0] - a[1,1]"},
        {"sobelNE_", "a[0,-1] + 2*a[1,-1] + a[1,0] - a[-1,0] - 2*a[-1,1] - a[0,1]"},
        {"sobelNW_", "a[0,-1] + 2*a[-1,-1] + a[-1,0] - a[1,0] - 2*a[1,1] - a[0,1]"},
        {"sobelSE_", "a[0,1] + 2*a[1,1] + a[1,0] - a[-1,0] - 2*a[-1,-1] - a[0,-1]"},
        {"sobelSW_", "a[0,1] + 2*a[-1,1] + a[-1,0] - a[1,0] - 2*a[1,-1] - a[0,-1]"},
        {"gaussian_",
         "(41*a + 26*(a[1,0] + a[-1,0] + a[0,1] + a[0,-1]) + 16*(a[1,1] + a[1,-1] + a[-1,1] + a[-1,-1])"
         " + 7*(a[2,0] + a[-2,0] + a[0,2] + a[0,-2]) + 4*(a[2,1] + a[2,-1] + a[-2,1] + a[-2,-1]"
         " + a[1,2] + a[1,-2] + a[-1,2] + a[-1,-2]) + a[2,2] + a[2,-2] + a[-2,2] + a[-2,-2])/273"},
    });
    static constexpr auto kSuffixes = std::to_array<Formulas>({
        {"_xxx", "dx(dxx(a))"},
        {"_yyy", "dy(dyy(a))"},
        {"_xxy", "dy(dxx(a))"},
        {"_xyy", "dx(dyy(a))"},
        {"_xxxx", "dxx(dxx(a))"},
        {"_xxyy", "dxx(dyy(a))"},
        {"_yyyy", "dyy(dyy(a))"},
        {"_xx", "dxx(a)"},
        {"_yy", "dyy(a)"},
        {"_xy", "dxy(a)"},
        {"_yx", "dxy(a)"},
        {"_xf", "dxf(a)"},
        {"_xb", "dxb(a)"},
        {"_yf", "dyf(a)"},
        {"_yb", "dyb(a)"},
        {"_xf2", "(4*a[1,0] - 3*a - a[2,0])/(2*dx)"},
        {"_xb2", "(3*a - 4*a[-1,0] + a[-2,0])/(2*dx)"},
        {"_yf2", "(4*a[0,1] - 3*a - a[0,2])/(2*dx)"},
        {"_yb2", "(3*a - 4*a[0,-1] + a[0,-2])/(2*dx)"},
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
    if (laplacian_kind != LaplacianKind::isotropic) this->note(note);
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
    return by_parts(
        *of, [&](const Value& part) { return graph().neighbour(scalar_of(part, name.text), column, row); });
}

std::vector<std::string> Semantics::names_in_use() const {
    std::vector<std::string> names;
    for (const auto& row : equations_.components) names.push_back(row.name);
    for (const auto& row : statements_.complex) names.push_back(row.name);
    for (const auto& row : equations_.parameters) names.push_back(row.name);
    for (const auto& row : statements_.definitions) names.push_back(row.name);
    for (const auto& row : equations_.elliptic) names.push_back(row.name);
    for (const KnownName& row : kKnown)
        if (!row.yields) names.emplace_back(row.name);
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
        {"d", "`d/dx(u)` is written `dx(u)`"},
        {"I_S", "give it a picture, `I_S = image(\"FILE\")`"},
        {"I_T", "give it a picture, `I_T = image(\"FILE\")`"},
        {"GlobalInt", "the integral of a formula over the whole field is `integral(u)`"},
        {"I", "the imaginary unit is written `1i`"},
        {"i", "the imaginary unit is written `1i`"},
    });
    for (const auto& [other, mend] : kMends)
        if (name.text == other) refuse(name.span, "`{}` is not defined: {}", other, mend);
    if (name.text.size() == 4 && (name.text.starts_with("I_S") || name.text.starts_with("I_T")))
        refuse(name.span,
               "`{0}` is a channel of `{1}`: give that a picture, `{1} = image(\"FILE\")`",
               shown,
               name.text.substr(0, 3));
    if (const OwnFunction* own = own_function(name.text))
        refuse(name.span, "`{}` is a function: write `{}`", shown, to_text(own->head));
    for (const Evolution& e : statements_.evolutions) {
        const std::string_view by =
            std::string_view(name.text).substr(std::min(e.component.size(), name.text.size()));
        if (name.text.starts_with(e.component + "_") && by.find_first_not_of("xyt", 1) == by.npos &&
            by.find('t') != by.npos && by.find_first_of("xy") != by.npos)
            refuse(name.span,
                   "`{0}` mixes time and space: give what evolves a name of its own, such as `dw/dt = "
                   "lap({1})` with "
                   "`{1} - lap({1}) = w` for `{1}`",
                   shown,
                   quotable(e.component));
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
    refuse(name.span,
           "`{}` is not defined: {}",
           shown,
           nearest.empty() ? fmt::format("give it a value, `{} = 1 in [0, 2]`, or an equation", shown)
                           : fmt::format("did you mean `{}`?", quotable(nearest)));
}

void Semantics::refuse_unknown_function(const std::string& name, TextSpan span) const {
    // VisualPDE functions that do not exist here, with the formula to use instead.
    static constexpr auto kMends = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"GlobalInt", "the integral over the whole field is `integral(u)`"},
        {"Int", "the integral over the whole field is `integral(u)`"},
        {"sum", "the sum over the whole field is `integral(u)/dx^2`"},
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
                   "`{}` is not a function: write `{}*{}(...)`",
                   quotable(name),
                   name.substr(0, cut),
                   name.substr(cut));
    if (mend.empty()) mend = nearest_name(name, function_names());
    if (!mend.empty() && row == kMends.end()) mend = fmt::format("did you mean `{}`?", mend);
    refuse(span, "`{}` is not a function{}{}", quotable(name), mend.empty() ? "" : ": ", mend);
}

}  // namespace stencil::equation
