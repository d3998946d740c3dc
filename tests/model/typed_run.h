// Runs of typed equations, for tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/equation/equation_stepper.h"
#include "sim/model/stages.h"

namespace stencil_test {

using Start = std::function<double(int component, int x, int y)>;

struct TypedRun {
    int nx = 16, ny = 12;
    long long steps = 1;
    bool plain = false;
    int threads = 1;
    std::uint64_t seed = 5;
    std::string stepper;  ///< empty: the text's own
    Start start = [](int component, int x, int y) {
        return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * component) % 11);
    };
};

/// The cells of one component after another, row by row.
template <class T>
std::vector<T> run_typed(const std::string& text, const TypedRun& run) {
    using namespace stencil::equation;
    const Equations e = read_equations(text);
    stencil::ThreadPool pool(run.threads);
    EquationSetup setup{run.nx, run.ny, e.spacing, e.dt.value_or(0.1), {}, run.seed, run.plain};
    for (const auto& parameter : e.parameters) setup.parameters.push_back(parameter.value);
    const std::string& scheme = run.stepper.empty() ? e.stepper : run.stepper;
    EquationStepper<T> stepper(make_program(e, scheme_of(scheme), sizeof(T) == 8), setup, pool);
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

}  // namespace stencil_test
