// Method of manufactured solutions (Roache 1998): a source term makes a random sum of waves the solution, and
// halving dx or dt must reduce the error at the order of operator, boundary and integrator.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "tests/model/typed_run.h"
#include "tests/support/seed.h"

using namespace stencil_test;

namespace {

// A sum of a sin(kx x + ky y + w t + p), with known derivatives.
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
    // Returns its derivative as text: i times by x, j by y and k by t.
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

// Returns boundary conditions of each kind that the solution satisfies; `out` is the outward derivative.
std::string sides(const Solution& u, const std::string& kind) {
    if (kind == "periodic") return "boundary = periodic";
    std::string text;
    int next = 0;
    for (const auto& [side, i, sign] :
         {std::tuple("left", 1, -1), {"right", 1, 1}, {"top", 0, -1}, {"bottom", 0, 1}}) {
        const std::string out = fmt::format("({}*{})", sign, u.text(i, 1 - i)), value = u.text(0, 0);
        const int which = kind == "mixed" ? next++ % 3 : kind == "value" ? 0 : kind == "flux" ? 1 : 2;
        text += which == 0   ? fmt::format("{}: u = {}\n", side, value)
                : which == 1 ? fmt::format("{}: flux(u) = {}\n", side, out)
                             : fmt::format("{}: u + 2*flux(u) = {} + 2*{}\n", side, value, out);
    }
    return text;
}

struct Operator {
    std::string formula, exact;  ///< with U, Ux, Uyy ... for the solution's derivatives
    double order = 2;
    bool at_sides = true;  ///< its stencil is unambiguous at corners and sides
};

// Returns the text of `du/dt = formula + source`.
std::string problem(const Solution& u, const Operator& op, const std::string& kind) {
    std::string text =
        fmt::format("du/dt = {} + {} - ({})\n{}\n", op.formula, u.text(0, 0, 1), op.exact, sides(u, kind));
    for (int i = 0; i <= 4; ++i)
        for (int j = 0; i + j <= 4; ++j)
            text += fmt::format("U{}{} = {}\n",
                                std::string(std::size_t(i), 'x'),
                                std::string(std::size_t(j), 'y'),
                                u.text(i, j));
    return text;
}

struct Steps {
    int n = 20;
    double dt = 0, time = 0.2;
    std::string stepper = "euler";
};

std::vector<double> stepped(const std::string& text,
                            const Solution& u,
                            const Steps& steps,
                            bool plain = false) {
    const double dx = 2 * std::numbers::pi / steps.n;
    TypedRun run;
    run.nx = run.ny = steps.n;
    run.steps = std::lround(steps.time / steps.dt);
    run.stepper = steps.stepper;
    run.plain = plain;
    run.threads = plain ? 1 : 2;
    run.start = [&](int, int x, int y) { return u.at((x + 0.5) * dx, (y + 0.5) * dx, 0); };
    return run_typed<double>(fmt::format("{}dx = {}; dt = {}", text, dx, steps.time / double(run.steps)),
                             run);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / double(a.size()));
}

double error_of(const std::string& text, const Solution& u, const Steps& steps) {
    std::vector<double> exact;
    const double dx = 2 * std::numbers::pi / steps.n;
    for (int y = 0; y < steps.n; ++y)
        for (int x = 0; x < steps.n; ++x) exact.push_back(u.at((x + 0.5) * dx, (y + 0.5) * dx, steps.time));
    return distance(stepped(text, u, steps), exact);
}

}  // namespace

TEST_CASE("Manufactured solutions: each operator has its order in dx at each kind of side") {
    const Solution u;
    const auto op = GENERATE(values<Operator>({
        {"lap(u)", "Uxx + Uyy"},
        {"dxx(u) + 2*dyy(u) - u", "Uxx + 2*Uyy - U"},
        {"div((2 + u^2)*grad(u))", "(2 + U^2)*(Uxx + Uyy) + 2*U*(Ux^2 + Uy^2)"},
        {"div((2 + sin(x)*cos(y))*grad(u))",
         "(2 + sin(x)*cos(y))*(Uxx + Uyy) + cos(x)*cos(y)*Ux - sin(x)*sin(y)*Uy"},
        {"lap(u^3 + 3*u)/3", "(U^2 + 1)*(Uxx + Uyy) + 2*U*(Ux^2 + Uy^2)"},
        {"lap(u) - grad2(u)", "Uxx + Uyy - Ux^2 - Uy^2"},
        {"lap(u) + dx(u) - 2*dy(u^2)", "Uxx + Uyy + Ux - 4*U*Uy"},
        {"lap(u) + dot(grad(u), grad(sin(x)*sin(y)))", "Uxx + Uyy + cos(x)*sin(y)*Ux + sin(x)*cos(y)*Uy"},
        {"lap(u) + (u[+1,0] - u[-1,0])/dx + (u[0,+1] - u[0,-1])/dx", "Uxx + Uyy + 2*Ux + 2*Uy"},
        {"lap(u) + dxf(u) - dyb(u)", "Uxx + Uyy + Ux - Uy", 1},
        {"lap(u) - up(2*sin(x))*dx(u) - up(-1)*dy(u)", "Uxx + Uyy - 2*sin(x)*Ux + Uy", 1},
        {"lap(u) + dxy(u)", "Uxx + Uyy + Uxy", 2, false},
        {"lap(u) - 0.005*lap2(u)", "Uxx + Uyy - 0.005*(Uxxxx + 2*Uxxyy + Uyyyy)", 2, false},
        {"lap(u) + dx(u*dy(u))", "Uxx + Uyy + Ux*Uy + U*Uxy", 2, false},
        {"lap(u) + div(vec(u*dx(u), u*dy(u)))", "Uxx + Uyy + Ux^2 + Uy^2 + U*(Uxx + Uyy)", 2, false},
    }));
    for (const char* kind : {"periodic", "value", "flux", "Robin", "mixed"}) {
        if (!op.at_sides && std::string_view(kind) != "periodic") continue;
        const std::string text = problem(u, op, kind);
        INFO(op.formula << ", sides: " << kind);
        const auto steps = [](int n) { return Steps{n, 0.04 * std::pow(2 * std::numbers::pi / n, 2)}; };
        const double coarse = error_of(text, u, steps(20)), fine = error_of(text, u, steps(40));
        INFO("errors " << coarse << " and " << fine);
        CHECK(fine > 1e-9);
        CHECK(std::abs(std::log2(coarse / fine) - op.order) < 0.3);
    }
}

TEST_CASE(
    "Manufactured solutions: each stepper has its order in dt at each kind of side, by cells and by rows") {
    const Solution u;
    struct Stepper {
        std::string name;
        double order;
    };
    const auto stepper =
        GENERATE(values<Stepper>({{"euler", 1}, {"heun", 2}, {"rk4", 4}, {"symplectic", 1}, {"imex", 2}}));
    const Operator op{"div((1 + u^2)*grad(u))/4 + lap(u)/4 - u^3",
                      "(1 + U^2)*(Uxx + Uyy)/4 + U*(Ux^2 + Uy^2)/2 + (Uxx + Uyy)/4 - U^3"};
    for (const char* kind : {"periodic", "value", "flux", "Robin", "mixed"}) {
        const bool transforms = std::string_view(kind) == "periodic" || std::string_view(kind) == "flux";
        if (stepper.name == "imex" && !transforms) continue;
        INFO(stepper.name << ", sides: " << kind);
        const std::string text = problem(u, op, kind);
        std::vector<std::vector<double>> fields;
        for (const int parts : {16, 32, 64})
            fields.push_back(stepped(text, u, {12, 0.8 / parts, 0.8, stepper.name}));
        const double coarse = distance(fields[0], fields[1]), fine = distance(fields[1], fields[2]);
        INFO("differences " << coarse << " and " << fine);
        CHECK(std::abs(std::log2(coarse / fine) - stepper.order) < 0.25);
        const auto cells = stepped(text, u, {12, 0.8 / 16, 0.8, stepper.name}, true);
        CHECK(std::memcmp(cells.data(), fields[0].data(), cells.size() * sizeof(double)) == 0);
    }
}
