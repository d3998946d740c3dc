// Runs typed equations, and plain grids to compare with.
#pragma once

#include <iterator>
#include <numeric>

#include "kernels/equation/equation_stepper.h"
#include "kernels/field/padded_rows.h"
#include "sim/machine/row_compiler.h"
#include "sim/model/equations.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
#include "tests/support/catch.h"

namespace stencil_test {

/// Texts that every executor steps to the same bits. They have every kind of side, several stages, noise,
/// inputs of place and time, and values that are not finite.
inline const std::vector<std::string> kTexts{
    "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v; dt = 0.1; boundary = periodic",
    "du/dt = lap(u) + dxy(u); dt = 0.01; left: u = y; right: flux(u) = t; top: u = sin(x); bottom: u + "
    "flux(u) = 1",
    "du/dt = lap(u^3 - u - lap(u)); dt = 0.01; x: insulated; y: periodic; stepper = heun",
    "da/dt = b; db/dt = lap(a) + dxy(a); stepper = symplectic; dt = 0.1; left: a = sin(y + t); right: a + "
    "2*flux(a) = 1; y: insulated",
    "du/dt = div((1 + 0.5*cos(x*y))*grad(u)) + sin(t)*u; dt = 0.01; boundary = zero; top: flux(u) = x; "
    "inside = x + y > 4",
    "du/dt = div((1 + v^2)*grad(u)) + lap(u); dv/dt = lap(u*v) - dy(v); dt = 0.01; x: insulated; left: v = "
    "t; inside = (x - 8)^2 + y^2 < 90 + 100*t; edge: u = sin(x - t); edge: 2*v + flux(v) = u - y",
    "da/dt = b; db/dt = lap(a) + dxy(a); stepper = symplectic; dt = 0.1; y: insulated; inside = abs(a) < 2 "
    "or x > 5; edge: flux(a) = x*sin(y + t)",
    "du/dt = lap(u) + normal + random*u; dt = 0.05; x: periodic; top: u = sin(x); bottom: flux(u) = 0; "
    "laplacian = isotropic; stepper = heun",
    "du/dt = dx(u*dx(u) + y) - lap(lap(u) - t); dt = 0.001; left: u = y^2; right: flux(u) = t; y: u = 0",
    "du/dt = lap(u) + lap(u^2 - lap(u)) - t*x*u; dt = 0.01; top: flux(u) = 0.1*x; bottom: u = 1; x: "
    "periodic; stepper = dp54",
    "du/dt = div(v*grad(u)) + sin(t)*u; dv/dt = lap(u^2) - v; dt = 0.01; left: u = cos(t); right: flux(u) = "
    "y; y: insulated; stepper = ab2",
    "du/dt = div((1 + 0.5*sin(x))*grad(u)) - u*t; dt = 0.3; left: u = cos(t); right: flux(u) = y; y: "
    "insulated; stepper = rkl2:4; inside = x + y > 3",
    "du/dt = div(exp(-5*grad2(u))*grad(u)) + tanh(u)*sin(x)*cos(y*u) - log(1 + u^2)*atan2(u, x - 2); dt = "
    "0.01; boundary = zero; stepper = rk4",
    "du/dt = 0.2*lap(u) - u*v + dx(u*x*dx(v)); dv/dt = lap(v)*sin(y) + 0.1*dx(dx(u)); dt = 0.01; left: u = "
    "1; right: u = y; top, bottom: flux(u) = sin(x); inside = x > 2",
    "du/dt = -up(y - 6)*dx(u) - u_xf*u_yb + where(u > 0.5, 1, mod(u, 0.1)) + 0.1*u[-3,+1] + abs(u)^p - "
    "sqrt(u)/3; p = 1.5; dt = 0.01",
    "du/dt = where(u/0 - u/0, u, -u) + where(u > 0, 1/0, 0)*0; dv/dt = max(v, u/0)",
    "du/dt = advect(u, sin(y), v, vanleer) + div([[1, 0.2*v], [0.2*v, x/9]]*grad(u)); dv/dt = advect(v, 0.7, "
    "-0.4, minmod) + div(where(x > 5, 0, 1 + u^2)*grad(v)); mean = harmonic; dt = 0.01; left: u = sin(y); "
    "right: flux(u) = t; top: u + flux(u) = x; bottom: u = 0; y: v = 1; x: flux(v) = 0; stepper = heun",
    "du/dt = advect(u, v, 0.3, minmod) + div([[1, 0.3], [0.3, 0.5]]*grad(u)); dv/dt = 0.1*lap(v) + advect(v, "
    "u, x, "
    "vanleer); dt = 0.02; boundary = insulated; inside = (x - 8)^2 + y^2 < 90 + 100*t; edge: v = sin(x - t)",
    "u' = ind(sum8(u) > 3) + y*(1 - x)*0.1 - 1/(2 + u) + (3 - y)*(0.1 - y/7); left: u = 1; right: flux(u) = "
    "x",
    "du/dt = 0.1*lap(u) + clamp(3*u, -0.5, v) - smoothstep(0.2, 0.6, u)*fmod(5*v, 0.3) + mix(u, v, "
    "fract(x/3)) - step(0.4, u)*trunc(4*v) + H(u - v) + Bump(Lx/2, Ly/2, Lx/3); dv/dt = laplacian_v/9 + "
    "select(u, hypot(u, v), isgreater(u, v)) - log2(1 + u^2)*exp2(-abs(v)) + cbrt(u - v)*asin(sin(v)) + "
    "sobelN_u - gaussian_u + 0.01*WhiteNoise - 0.02*WhiteNoise_2*u + Gauss(L/2, L_min/2, 3, 2, 0.5); "
    "laplacian = fourth; stepper = midpoint; dt = 0.01; left: u = sin(y); right: flux(u) = t; left: v = 0; "
    "right: v = 1",
    "du/dt = where(m == m, 0.1, -0.1) + where(n == n, 0.2, -0.3) + ind(clamp(sqrt(v), -1, u) > 0)/9; m = "
    "min(sqrt(v), u); n = max(u, log(v)); dv/dt = 0.1*lap(v) + 0.01*max(v, min(u, 0.3)) - max(0.2, v)/50; "
    "dt = 0.1; x: periodic; y: insulated",
    "du/dt = lap(u) + u - u^3 - mean(u - u^3) + 0.1*sin(max(abs(dx(u)))); dv/dt = 0.3*lap(v) - "
    "v*integral(u*v)/100 + 0.1*(min(v) - v) + mean((u - mean(u))^2); dt = 0.05; stepper = heun; inside = x + "
    "y > 4",
    "du/dt = erf(3*u)*f(v) + 0.1*lap(u); 2*v_tt + c*dv/dt = lap(v) - g(u, v_t)/9; f(w) = 1 - w^2; g(a, b) = "
    "a*erf(b - t)*b; c = 0.1; dt = 0.05; left: u_x = sin(y); right: u = erf(y - t)",
    "du/dt = -0.01*lap(lap(u) + y*mean(u)) + mean(grad2(u)) + mean(random); left: u = mean(u); right: "
    "flux(u) = 0.1 - max(u)/9; top, bottom: u + flux(u)*integral(u)/50 = sin(x); dt = 0.01; stepper = "
    "midpoint",
    "du/dt = lap(u) - u*v + dxy(u); dv/dt = div((1 + u^2)*grad(v)) + m; dm/dt = u - m; dt = 0.01; left: "
    "flux(u) = "
    "-m*u; right: u = v^2 + t; top: v + x*flux(v) = u*m; bottom: flux(v) = 0.1 - v^4; all: flux(u) = 0; "
    "stepper = heun; "
    "inside = x + y > 4; edge: flux(u) = m",
    "du/dt = lap(u^3 - u - lap(u)) - 0.1*v; dv/dt = 0.1*lap(v) + q; q = dy(u); dt = 0.001; all: u = sin(x + "
    "y); all: "
    "flux(u) = 0.1*t; left: flux(v) = q; right: v = u; y: flux(v) = 0"};
/// Those that stay finite and are stepped several steps at a time.
inline const std::vector<std::string> kFiniteTexts(kTexts.begin(), kTexts.begin() + 8);

/// The names of all integrators but implicit ones, whose transforms round by themselves, for tests that loop
/// over the table. One with a number of stages gets a small one.
inline std::vector<std::string> explicit_integrators() {
    std::vector<std::string> names;
    for (const auto& row : stencil::equation::integrators())
        if (!row.is_implicit) names.push_back(row.name + (row.stages > 0 ? ":5" : ""));
    return names;
}

using Start = std::function<double(int component, int x, int y)>;

/// A start of waves and single cells.
inline double uneven_start(int c, int x, int y) {
    return std::cos(0.7 * x + c) * std::sin(0.45 * y + 0.2) + 0.2 * ((5 * x + 3 * y + c) % 7) - 0.5;
}

struct TypedRun {
    int nx = 16, ny = 12;
    long long steps = 1;
    bool plain = false;
    int threads = 1;
    std::uint64_t seed = 5;
    std::string integrator = {};                   ///< empty: the text's own
    stencil::equation::RowCompiler compiler = {};  ///< if set, all steps are compiled
    Start start = [](int component, int x, int y) {
        return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * component) % 11);
    };
    /// A step of the same length went before. What a multistep integrator keeps of it is `start`, too, and is
    /// returned behind the components.
    bool under_way = false;
    /// The steps estimate their errors, which are returned behind the components.
    bool errors = false;
};

/// The ways in which processors step a text, the scalar reference first.
struct Executor {
    const char* name;
    bool plain;
    int threads;
    stencil::equation::RowCompiler compiler;
};

inline std::vector<Executor> executors() {
    std::vector<Executor> all{{"the scalar reference", true, 1, {}},
                              {"rows", false, 1, {}},
                              {"rows by three threads", false, 3, {}}};
    try {
        stencil::find_c_compiler();
        if (stencil::equation::has_row_machine())
            all.push_back({"compiled rows", false, 2, stencil::compile_rows_in_background});
    } catch (const stencil::MachineError&) {  // tests of compiled rows are told as skipped
    }
    return all;
}

/// Values of an equation's parameters.
inline std::vector<double> values_of(const stencil::equation::Equations& e) {
    std::vector<double> values;
    for (const auto& parameter : e.parameters) values.push_back(parameter.value);
    return values;
}

inline stencil::equation::EquationSetup setup_of(const stencil::equation::Equations& e, const TypedRun& run) {
    const double dt = e.dt.value_or(0.1);
    return {run.nx, run.ny, e.spacing, dt, values_of(e), run.seed, run.plain, {}, run.under_way ? dt : 0};
}

/// A field that is the same everywhere.
inline stencil::equation::UniformState uniform_state(const stencil::equation::Equations& e,
                                                     std::vector<double> components) {
    stencil::equation::UniformState state;
    state.components = std::move(components);
    state.parameters = values_of(e);
    state.spacing = e.spacing;
    return state;
}

/// The program of a text by its own integrator, for cells of type T.
template <class T>
stencil::equation::Program program_of(const stencil::equation::Equations& e, bool errors = false) {
    return make_program(e, e.integrator, sizeof(T) == 8, e.dt.value_or(0.1), errors);
}

/// Why a text is refused, and the part of it that the message marks; both are empty if it is taken.
struct Refusal {
    std::string sentence, about;
};
inline Refusal text_refusal(const std::string& text) {
    try {
        stencil::equation::read_equations(text);
    } catch (const stencil::equation::TextError& error) {
        return {error.sentence(), text.substr(error.span().begin, error.span().end - error.span().begin)};
    }
    return {};
}

template <class T, class Value>
void set_cells(stencil::FieldView<T> field, Value&& value) {
    for (int y = 0; y < field.ny; ++y)
        for (int x = 0; x < field.nx; ++x) field.at(x, y) = T(value(x, y));
}

/// Returns the first components one after another, row by row.
template <class T>
std::vector<T> cells_of(stencil::equation::EquationStepper<T>& stepper, int components) {
    std::vector<T> cells;
    for (int c = 0; c < components; ++c) {
        const stencil::FieldView<T> field = stepper.component(c);
        for (int y = 0; y < field.ny; ++y) cells.insert(cells.end(), field.row(y), field.row(y) + field.nx);
    }
    return cells;
}

/// Waits until the steps are made by compiled rows.
template <class T>
void require_compiled(stencil::equation::EquationStepper<T>& stepper) {
    stepper.wait_for_compiler();
    INFO(stepper.why_not_compiled());
    REQUIRE(stepper.compiled());
}

/// Returns the components one after another, row by row.
template <class T>
std::vector<T> run_typed(const std::string& text, const TypedRun& run) {
    using namespace stencil::equation;
    Equations e = read_equations(text);
    if (!run.integrator.empty()) e.integrator = stencil::equation::scheme_of(run.integrator);
    stencil::ThreadPool pool(run.threads);
    const Program program = program_of<T>(e, run.errors);
    EquationStepper<T> stepper(program, setup_of(e, run), pool, run.compiler);
    if (run.compiler) require_compiled(stepper);
    const int components = program.components - (run.under_way ? 0 : program.past);
    for (int c = 0; c < components; ++c)
        set_cells(stepper.component(c), [&](int x, int y) { return run.start(c, x, y); });
    stepper.advance(run.steps);
    return cells_of(stepper, components);
}

// An independent grid for expected results: u(x, y) with a rule for cells outside.
struct Grid {
    int nx, ny;
    std::vector<double> u;
    std::function<double(const Grid&, int, int)> outside;

    double operator()(int x, int y) const {
        return x < 0 || y < 0 || x >= nx || y >= ny ? outside(*this, x, y) : u[std::size_t(y * nx + x)];
    }
    double lap(int x, int y) const {
        const Grid& g = *this;
        return g(x, y - 1) + g(x, y + 1) + g(x - 1, y) + g(x + 1, y) - 4 * g(x, y);
    }
};

inline double wrapped(const Grid& g, int x, int y) {
    return g((x + g.nx) % g.nx, (y + g.ny) % g.ny);
}
inline double mirrored(const Grid& g, int x, int y) {
    return g(std::clamp(x, 0, g.nx - 1), std::clamp(y, 0, g.ny - 1));
}

inline Grid start_grid(const TypedRun& run,
                       int component,
                       std::function<double(const Grid&, int, int)> outside) {
    Grid g{run.nx, run.ny, {}, std::move(outside)};
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) g.u.push_back(run.start(component, x, y));
    return g;
}

template <class F>
Grid stepped(const Grid& g, F&& next) {
    Grid result = g;
    for (int y = 0; y < g.ny; ++y)
        for (int x = 0; x < g.nx; ++x) result.u[std::size_t(y * g.nx + x)] = next(x, y);
    return result;
}

/// The largest absolute value; infinite if any is not finite.
inline double largest(std::span<const double> cells) {
    double result = 0;
    for (const double u : cells) result = std::max(result, std::isfinite(u) ? std::abs(u) : HUGE_VAL);
    return result;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    std::vector<double> differences;
    std::ranges::transform(a, b, std::back_inserter(differences), std::minus());
    return largest(differences);
}

inline double total(std::span<const double> cells) {
    return std::accumulate(cells.begin(), cells.end(), 0.0);
}

/// ||a - exact|| / ||exact||
template <class T>
double relative_error(const std::vector<T>& a, std::span<const double> exact) {
    REQUIRE(a.size() == exact.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(double(a[i]) - exact[i], 2);
        size += exact[i] * exact[i];
    }
    return std::sqrt(difference / size);
}

/// Compares bits, by which NaNs may be equal and zeros of other signs differ.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Requires the same bits of any number of threads, of cells one by one, and of steps cut after so many.
inline void require_same_bits_however_stepped(const std::string& text, TypedRun run, long long cut) {
    using namespace stencil::equation;
    const auto whole = run_typed<double>(text, run);
    const auto single = run_typed<float>(text, run);
    CHECK(relative_error(single, whole) < 1e-4);
    for (const bool plain : {false, true}) {
        run.threads = 3;
        run.plain = plain;
        CHECK(same_bits(run_typed<double>(text, run), whole));
        CHECK(same_bits(run_typed<float>(text, run), single));
    }
    const Equations e = read_equations(text);
    stencil::ThreadPool pool(2);
    run.plain = false;
    const EquationSetup setup = setup_of(e, run);
    const Program program = program_of<float>(e);
    EquationStepper<float> first(program, setup, pool), second(program, setup, pool);
    for (int c = 0; c < program.components; ++c)
        set_cells(first.component(c), [&](int x, int y) { return run.start(c, x, y); });
    first.advance(cut);
    for (int c = 0; c < program.components; ++c) stencil::copy_cells(first.component(c), second.component(c));
    second.resume(first.clock(), cut);
    second.advance(run.steps - cut);
    CHECK(same_bits(cells_of(second, program.components), single));
}

/// The factors by which a step of each integrator multiplies a wave that grows at a rate of z per step.
inline std::vector<std::pair<const char*, double>> step_factors(double z) {
    return {{"euler", 1 + z},
            {"heun", 1 + z + z * z / 2},
            {"midpoint", 1 + z + z * z / 2},
            {"rk4", 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))},
            {"symplectic", 1 + z}};
}

/// A text by every executor: all have the same bits, which are returned.
inline std::vector<double> by_all(const std::string& text, TypedRun run) {
    std::vector<double> reference;
    for (const Executor& by : executors()) {
        INFO(by.name);
        run.plain = by.plain;
        run.threads = by.threads;
        run.compiler = by.compiler;
        const auto cells = run_typed<double>(text, run);
        if (reference.empty()) reference = cells;
        CHECK(same_bits(cells, reference));
    }
    return reference;
}

}  // namespace stencil_test
