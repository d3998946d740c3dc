// Runs typed equations, and plain grids to compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/equation/equation_stepper.h"
#include "sim/model/equations.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
#include "tests/support/catch.h"

namespace stencil_test {

using Start = std::function<double(int component, int x, int y)>;

struct TypedRun {
    int nx = 16, ny = 12;
    long long steps = 1;
    bool plain = false;
    int threads = 1;
    std::uint64_t seed = 5;
    std::string stepper;                           ///< empty: the text's own
    stencil::equation::RowCompiler compiler = {};  ///< if set, all steps are compiled
    Start start = [](int component, int x, int y) {
        return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * component) % 11);
    };
};

/// Values of an equation's parameters.
inline std::vector<double> values_of(const stencil::equation::Equations& e) {
    std::vector<double> values;
    for (const auto& parameter : e.parameters) values.push_back(parameter.value);
    return values;
}

inline stencil::equation::EquationSetup setup_of(const stencil::equation::Equations& e, const TypedRun& run) {
    return {run.nx, run.ny, e.spacing, e.dt.value_or(0.1), values_of(e), run.seed, run.plain};
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

/// Returns the components one after another, row by row.
template <class T>
std::vector<T> run_typed(const std::string& text, const TypedRun& run) {
    using namespace stencil::equation;
    const Equations e = read_equations(text);
    stencil::ThreadPool pool(run.threads);
    const EquationSetup setup = setup_of(e, run);
    const std::string& scheme = run.stepper.empty() ? e.stepper : run.stepper;
    EquationStepper<T> stepper(
        make_program(e, scheme_of(scheme), sizeof(T) == 8, setup.dt), setup, pool, run.compiler);
    if (run.compiler) {
        stepper.wait_for_compiler();
        INFO(stepper.why_not_compiled());
        REQUIRE(stepper.compiled());
    }
    const int components = int(e.components.size());
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) stepper.component(c).at(x, y) = T(run.start(c, x, y));
    stepper.advance(run.steps);
    std::vector<T> cells;
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) cells.push_back(stepper.component(c).at(x, y));
    return cells;
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

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace stencil_test
