// Manufactured solutions (Roache 1998): a random sum of waves is made the solution of an equation by the
// source term that it needs. Each operator stands at each kind of side, a component each, so that one text
// has many.
#pragma once

#include <fmt/format.h>

#include <random>
#include <regex>

#include "tests/model/typed_run.h"
#include "tests/support/seed.h"

namespace stencil_test {

// A sum of a sin(kx x + ky y + w t + p), whose derivatives are known.
class Solution {
  public:
    Solution() {
        std::mt19937_64 random(test_seed());
        const auto draw = [&](double low, double high) {
            return std::uniform_real_distribution(low, high)(random);
        };
        for (const auto& [kx, ky] : {std::pair(1, 1), {1, -2}, {2, 1}})
            waves_.push_back({draw(0.2, 0.5), double(kx), double(ky), draw(0.5, 1.5), draw(0, 6)});
    }
    // Differentiated i times by x, j by y and k by t.
    std::string text(int i, int j, int k = 0) const {
        std::string sum = "(0";
        for (const Wave& v : waves_)
            sum += fmt::format(" + {}*sin({}*x + {}*y + {}*t + {})",
                               v.a * std::pow(v.kx, i) * std::pow(v.ky, j) * std::pow(v.w, k),
                               v.kx,
                               v.ky,
                               v.w,
                               v.p + (i + j + k) * std::numbers::pi / 2);
        return sum + ")";
    }
    double at(double x, double y, double t) const {
        double sum = 0;
        for (const Wave& v : waves_) sum += v.a * std::sin(v.kx * x + v.ky * y + v.w * t + v.p);
        return sum;
    }

  private:
    struct Wave {
        double a, kx, ky, w, p;
    };
    std::vector<Wave> waves_;
};

struct Operator {
    std::string formula, exact;  ///< of u, and with U, Ux, Uyy ... for the solution's derivatives
    double order = 2;
    bool at_sides = true;  ///< its stencil has one meaning at corners and sides
    bool at_edge = true;   ///< and at the edge of a shape
};

inline const std::vector<Operator> kOperators{
    {"lap(u)", "Uxx + Uyy"},
    {"dxx(u) + 2*dyy(u) - u", "Uxx + 2*Uyy - U"},
    {"div((2 + u^2)*grad(u))", "(2 + U^2)*(Uxx + Uyy) + 2*U*(Ux^2 + Uy^2)"},
    {"div((2 + sin(x)*cos(y))*grad(u))",
     "(2 + sin(x)*cos(y))*(Uxx + Uyy) + cos(x)*cos(y)*Ux - sin(x)*sin(y)*Uy"},
    {"lap(u^3 + 3*u)/3", "(U^2 + 1)*(Uxx + Uyy) + 2*U*(Ux^2 + Uy^2)"},
    {"lap(u) - grad2(u)", "Uxx + Uyy - Ux^2 - Uy^2"},
    {"lap(u) + dx(u) - 2*dy(u^2)", "Uxx + Uyy + Ux - 4*U*Uy"},
    {"lap(u) + dot(grad(u), grad(sin(x)*sin(y)))",
     "Uxx + Uyy + cos(x)*sin(y)*Ux + sin(x)*cos(y)*Uy",
     2,
     true,
     false},  // a derivative of what has no condition
    {"lap(u) + (u[+1,0] - u[-1,0])/dx + (u[0,+1] - u[0,-1])/dx", "Uxx + Uyy + 2*Ux + 2*Uy"},
    {"lap(u) + dxf(u) - dyb(u)", "Uxx + Uyy + Ux - Uy", 1},
    {"lap(u) - up(2*sin(x))*dx(u) - up(-1)*dy(u)", "Uxx + Uyy - 2*sin(x)*Ux + Uy", 1},
    {"lap(u) + dxy(u)", "Uxx + Uyy + Uxy", 2, false},
    {"lap(u) - 0.005*lap2(u)", "Uxx + Uyy - 0.005*(Uxxxx + 2*Uxxyy + Uyyyy)", 2, false},
    {"lap(u) - 0.05*dx(dxx(u)) - 3*dx(u^2)", "Uxx + Uyy - 0.05*Uxxx - 6*U*Ux", 2, false},
    {"lap(u) + dx(u*dy(u))", "Uxx + Uyy + Ux*Uy + U*Uxy", 2, false},
    {"lap(u) + div(vec(u*dx(u), u*dy(u)))", "Uxx + Uyy + Ux^2 + Uy^2 + U*(Uxx + Uyy)", 2, false},
};
inline const std::vector<std::string> kSideKinds{
    "periodic", "value", "flux", "Robin", "mixed", "edge value", "edge flux", "edge Robin"};

/// Kinds at the edge of a square that takes up a quarter of the field, between cells if their number is a
/// multiple of 4.
inline bool at_edge(std::string_view kind) {
    return kind.starts_with("edge ");
}
inline bool in_square(double x, double y) {
    const double pi = std::numbers::pi;
    return std::max(std::abs(x - pi), std::abs(y - pi)) < pi / 2;
}

/// An operator at sides of one kind.
struct Manufactured {
    Operator op;
    std::string sides;
};

inline std::vector<Manufactured> manufactured(std::string_view sides) {
    std::vector<Manufactured> all;
    for (const Operator& op : kOperators)
        if ((op.at_sides && (op.at_edge || !at_edge(sides))) || sides == "periodic")
            all.push_back({op, std::string(sides)});
    return all;
}

/// All its terms are nonlinear, and large steps of it are stable: for the order in dt.
inline const Operator kNonlinear{"div((1 + u^2)*grad(u))/4 + lap(u)/4 - u^3",
                                 "(1 + U^2)*(Uxx + Uyy)/4 + U*(Ux^2 + Uy^2)/2 + (Uxx + Uyy)/4 - U^3"};

/// The conditions of a component at sides of a kind; `out` is the derivative outwards.
inline std::string sides_of(const Solution& u, const std::string& component, const std::string& kind) {
    if (at_edge(kind)) {
        const std::string out = fmt::format(
            "where(abs(x - pi) > abs(y - pi), sign(x - pi)*{}, sign(y - pi)*{})", u.text(1, 0), u.text(0, 1));
        const std::string value = u.text(0, 0);
        return kind == "edge value" ? fmt::format("edge: {} = {}\n", component, value)
               : kind == "edge flux"
                   ? fmt::format("edge: flux({}) = {}\n", component, out)
                   : fmt::format("edge: {0} + 2*flux({0}) = {1} + 2*{2}\n", component, value, out);
    }
    std::string text;
    int next = 0;
    for (const auto& [side, i, sign] :
         {std::tuple("left", 1, -1), {"right", 1, 1}, {"top", 0, -1}, {"bottom", 0, 1}}) {
        if (kind == "periodic") break;
        const std::string out = fmt::format("({}*{})", sign, u.text(i, 1 - i)), value = u.text(0, 0);
        const int which = kind == "mixed" ? next++ % 3 : kind == "value" ? 0 : kind == "flux" ? 1 : 2;
        text += which == 0 ? fmt::format("{}: {} = {}\n", side, component, value)
                : which == 1
                    ? fmt::format("{}: flux({}) = {}\n", side, component, out)
                    : fmt::format("{0}: {1} + 2*flux({1}) = {2} + 2*{3}\n", side, component, value, out);
    }
    return text;
}

/// The components `du/dt = formula + source`, all of which the solution solves.
inline std::string text_of(const Solution& u, const std::vector<Manufactured>& all) {
    std::string text = "boundary = periodic\n";
    if (std::ranges::any_of(all, [](const Manufactured& one) { return at_edge(one.sides); }))
        text += "inside = max(abs(x - pi), abs(y - pi)) < pi/2\n";
    for (std::size_t c = 0; c < all.size(); ++c) {
        const std::string name = fmt::format("c{}", c);
        text += fmt::format("d{}/dt = {} + Ut - ({})\n{}",
                            name,
                            std::regex_replace(all[c].op.formula, std::regex("\\bu\\b"), name),
                            all[c].op.exact,
                            sides_of(u, name, all[c].sides));
    }
    for (int i = 0; i <= 4; ++i)
        for (int j = 0; i + j <= 4; ++j)
            text += fmt::format("U{}{} = {}\n",
                                std::string(std::size_t(i), 'x'),
                                std::string(std::size_t(j), 'y'),
                                u.text(i, j));
    return text + fmt::format("Ut = {}\n", u.text(0, 0, 1));
}

/// The run of such a text on n x n cells up to a time, which `parts` steps reach.
struct ManufacturedRun {
    std::string text;
    TypedRun run;
};

inline ManufacturedRun run_of(const Solution& u,
                              const std::vector<Manufactured>& all,
                              int n,
                              double time,
                              int parts,
                              const std::string& integrator) {
    ManufacturedRun made;
    const double dx = 2 * std::numbers::pi / n;
    made.text = fmt::format("{}dx = {}; dt = {}", text_of(u, all), dx, time / parts);
    made.run.nx = made.run.ny = n;
    made.run.steps = parts;
    made.run.integrator = integrator;
    made.run.start = [=](int, int x, int y) { return u.at((x + 0.5) * dx, (y + 0.5) * dx, 0); };
    return made;
}

}  // namespace stencil_test
