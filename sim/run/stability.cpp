#include "sim/run/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "sim/model/equations.h"
#include "sim/model/stability/matrices.h"
#include "sim/run/solvers/solver.h"
#include "sim/run/solvers/typed_run.h"
#include "sim/run/start.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using equation::StableStep;
using equation::UniformState;

constexpr int kSamples = 24;  ///< along each axis
constexpr double kAdvised = 0.8;

// Centres of cells spread evenly over the field.
std::vector<SamplePoint> sample_points(Size size) {
    const auto centre = [](int i, int n) { return std::floor((i + 0.5) * n / kSamples) + 0.5; };
    std::vector<SamplePoint> points;
    for (int j = 0; j < kSamples; ++j)
        for (int i = 0; i < kSamples; ++i) points.push_back({centre(i, size.nx), centre(j, size.ny)});
    return points;
}

// Indices of cells with the extreme values of a component.
std::set<std::size_t> extremes(const std::vector<std::vector<double>>& values) {
    std::set<std::size_t> cells;
    for (const auto& component : values) {
        const auto [least, most] = std::ranges::minmax_element(component);
        cells.insert({std::size_t(least - component.begin()), std::size_t(most - component.begin())});
    }
    return cells;
}

// The states of the sampled cells, to linearise about.
std::vector<UniformState> sample_states(const Problem& spec,
                                        const std::vector<SamplePoint>& points,
                                        const std::vector<std::vector<double>>& values,
                                        double time) {
    const auto data = read_data(spec);
    std::vector<UniformState> states(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        UniformState& state = states[i];
        for (const auto& component : values) state.components.push_back(component[i]);
        for (const auto& array : data) state.data.push_back(array->at(int(points[i].x), int(points[i].y)));
        state.parameters = spec.parameters;
        state.spacing = spec.spacing();
        state.dt = spec.time_step();
        state.nx = spec.size->nx;
        state.ny = spec.size->ny;
        state.x = points[i].x * state.spacing;
        state.y = points[i].y * state.spacing;
        state.t = time;
    }
    return states;
}

bool is_finite(const UniformState& state) {
    return std::ranges::all_of(state.components, [](double value) { return std::isfinite(value); });
}

// The cell with the fastest rates for the shortest waves, as varying coefficients decide that.
std::size_t fastest(const equation::Equations& equations, const std::vector<UniformState>& states) {
    const auto formulas = equation::formulas_of(equations);
    const double pi = std::numbers::pi;
    std::size_t found = 0;
    double most = -1;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!is_finite(states[i])) continue;
        const equation::Linearisation rates(equations, formulas, states[i]);
        const double size = equation::norm_of(rates.at(pi, pi), rates.components());
        if (!(size > most)) continue;
        most = size;
        found = i;
    }
    return found;
}

// The few states that are checked for waves of all directions.
std::vector<UniformState> telling_states(const equation::Equations& equations,
                                         const Problem& spec,
                                         Solver& solver) {
    const auto points = sample_points(*spec.size);
    std::vector<std::vector<double>> values;
    for (const Component& component : spec.model->components)
        values.push_back(solver.sample(component.name, points, false));
    const std::vector<UniformState> all = sample_states(spec, points, values, time_of(solver, spec));
    std::set<std::size_t> cells = extremes(values);
    cells.insert({0, fastest(equations, all)});
    std::vector<UniformState> states;
    for (const std::size_t cell : cells)
        if (is_finite(all[cell])) states.push_back(all[cell]);
    return states;
}

// The state with the fastest rates among those that the reaction alone leads to. Each step takes a tenth of
// the reaction's time scale, or less where that would change a value by more than a tenth. A small positive
// push leaves unstable equilibria, at which runs often start.
UniformState state_ahead(const equation::Equations& equations, UniformState state) {
    constexpr int kSteps = 200;
    constexpr double kPush = 0.01, kShare = 0.1, kBlowUp = 1e3;
    const auto formulas = equation::formulas_of(equations);
    const auto largest = [](const UniformState& s) {
        double most = 1;
        for (const double value : s.components) most = std::max(most, std::abs(value));
        return most;
    };
    const double bound = kBlowUp * largest(state);
    for (double& value : state.components) value += kPush * std::max(1.0, std::abs(value));
    UniformState fastest = state;
    double most = -1;
    for (int i = 0; i < kSteps && is_finite(state) && largest(state) < bound; ++i) {
        const equation::Linearisation rates(equations, formulas, state);
        const double pi = std::numbers::pi, size = equation::norm_of(rates.at(pi, pi), rates.components());
        if (size > most) {
            most = size;
            fastest = state;
        }
        double fastest_change = equation::norm_of(rates.at(0, 0), rates.components());
        for (int c = 0; c < rates.components(); ++c)
            if (equations.components[std::size_t(c)].rate)
                fastest_change =
                    std::max(fastest_change, std::abs(rates.value(std::size_t(c))) / largest(state));
        if (!(fastest_change > 0)) break;
        for (int c = 0; c < rates.components(); ++c) {
            double& value = state.components[std::size_t(c)];
            const double by = rates.value(std::size_t(c));
            value = equations.components[std::size_t(c)].rate ? value + kShare / fastest_change * by : by;
        }
    }
    return fastest;
}

// The factor of a share of the limit; empty if it is a plain number.
std::optional<double> share_of_limit(const std::string& dt) {
    if (!dt.ends_with("limit")) return std::nullopt;
    return read_real(dt.substr(0, dt.size() - 5)).value_or(1);
}

constexpr double kRounding = 1e-9, kNearLimit = 0.95;

}  // namespace

double time_of(Solver& solver, const Problem& spec) {
    const auto clock = clock_of(solver.inner(false).numbers);
    if (!clock) return double(solver.step()) * spec.time_step();
    return clock->time + double(solver.step() - clock->step) * spec.time_step();
}

StepVerdict verdict(double dt, const StableStep& limit) {
    if (!limit.known()) return StepVerdict::unknown;
    if (dt > limit.dt * (1 + kRounding)) return StepVerdict::unstable;
    return dt > kNearLimit * limit.dt ? StepVerdict::near_limit : StepVerdict::stable;
}

StableStep stable_step(const Problem& spec, Solver& solver, bool ahead) {
    const equation::SteppingScheme scheme = spec.scheme();
    // Only transforms depend on the boundary, so other schemes need not parse the text again.
    std::optional<equation::Equations> bounded;
    if (scheme == equation::SteppingScheme::imex) bounded = run_equations(spec);
    const equation::Equations& equations = bounded ? *bounded : *spec.model->equations;
    std::vector<UniformState> states = telling_states(equations, spec, solver);
    if (ahead)
        for (UniformState& state : states) state = state_ahead(equations, state);
    return equation::stable_step(equations, scheme, states);
}

std::string stability_text(double dt, const StableStep& limit) {
    if (!limit.known())
        return fmt::format("dt {:.4g}; its limit cannot be worked out: not finite at the field's values", dt);
    if (std::isinf(limit.dt)) return fmt::format("dt {:.4g}; there is no stability limit", dt);
    std::string text = fmt::format("dt {:.4g} is {:.2f} of the limit {:.4g}", dt, dt / limit.dt, limit.dt);
    if (!limit.term.empty()) text += fmt::format(", set by the term {} of {}", limit.term, limit.component);
    return text;
}

void resolve_dt(RunSpec& spec, Solver& solver) {
    if (spec.model->built_in) return;
    const bool steps_outright = std::ranges::none_of(spec.model->equations->components,
                                                     [](const auto& component) { return component.rate; });
    if (steps_outright) {
        if (!(spec.time_step() > 0)) spec.dt = "1";
        return;
    }
    const StableStep limit = stable_step(spec, solver);
    const auto share = share_of_limit(spec.dt);
    if (limit.dt == 0 && !spec.allow_unstable)
        throw InputError(
            limit.downwind
                ? fmt::format("every step of {} is unstable: its first derivatives are taken from where the "
                              "wind blows to, so that waves grow: take them from the other side, or add "
                              "--allow-unstable with --dt",
                              spec.model->name)
                : fmt::format("--stepper {}: every step of {} is unstable: take another stepper, or "
                              "--allow-unstable with --dt",
                              spec.integrator(),
                              spec.model->name));
    if (!limit.known() && share)
        throw InputError(fmt::format(
            "--dt {}: the limit cannot be worked out: not finite at the field's values: give a number",
            spec.dt));
    const auto of_limit = [](double factor, const StableStep& at) {
        return std::isfinite(at.dt) && at.dt > 0 ? factor * at.dt : 1;
    };
    if (share)
        spec.dt = format_real(of_limit(*share, limit));
    else if (spec.dt.empty())
        spec.dt = format_real(
            std::min({1.0, of_limit(kAdvised, limit), of_limit(kAdvised, stable_step(spec, solver, true))}));
    if (verdict(spec.time_step(), limit) == StepVerdict::unstable && !spec.allow_unstable)
        throw InputError(fmt::format("{}: take --dt {}limit, or add --allow-unstable",
                                     stability_text(spec.time_step(), limit),
                                     kAdvised));
}

}  // namespace stencil
