#include "sim/run/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/model/equations.h"
#include "sim/run/solvers/solver.h"
#include "sim/run/start.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using equation::StableStep;
using equation::UniformState;

constexpr int kSamples = 24;  ///< along an axis
constexpr double kAdvised = 0.8;

// The centres of cells spread over the field.
std::vector<SamplePoint> sample_points(Size size) {
    const auto centre = [](int i, int n) { return std::floor((i + 0.5) * n / kSamples) + 0.5; };
    std::vector<SamplePoint> points;
    for (int j = 0; j < kSamples; ++j)
        for (int i = 0; i < kSamples; ++i) points.push_back({centre(i, size.nx), centre(j, size.ny)});
    return points;
}

// The cells where a component is least or largest, and some others.
std::set<std::size_t> telling(const std::vector<std::vector<double>>& values) {
    std::set<std::size_t> cells{0, kSamples * kSamples / 2 + kSamples / 2, kSamples * kSamples - 1};
    for (const auto& component : values) {
        const auto [least, most] = std::ranges::minmax_element(component);
        cells.insert({std::size_t(least - component.begin()), std::size_t(most - component.begin())});
    }
    return cells;
}

std::vector<UniformState> sample_states(const RunSpec& spec, Solver& solver) {
    const auto points = sample_points(*spec.size);
    std::vector<std::vector<double>> values;
    for (const Component& component : spec.model->components) {
        solver.show(component.name);
        values.push_back(solver.sample(Quantity::value, points, false));
    }
    solver.show(spec.shown());
    std::vector<UniformState> states;
    for (const std::size_t i : telling(values)) {
        UniformState state;
        for (const auto& component : values) state.components.push_back(component[i]);
        state.parameters = spec.parameters;
        state.spacing = spec.spacing();
        state.dt = spec.time_step();
        state.nx = spec.size->nx;
        state.ny = spec.size->ny;
        state.x = points[i].x * state.spacing;
        state.y = points[i].y * state.spacing;
        const bool finite = std::ranges::all_of(state.components, [](double v) { return std::isfinite(v); });
        if (finite) states.push_back(std::move(state));
    }
    return states;
}

// Empty: no share of the limit.
std::optional<double> share_of_limit(const std::string& dt) {
    if (!dt.ends_with("limit")) return std::nullopt;
    return read_real(dt.substr(0, dt.size() - 5)).value_or(1);
}

}  // namespace

StableStep stable_step(const RunSpec& spec, Solver& solver) {
    return equation::stable_step(run_equations(spec), stepping_scheme(spec), sample_states(spec, solver));
}

std::string stability_text(double dt, const StableStep& limit) {
    if (std::isinf(limit.dt)) return fmt::format("dt {:.4g}; no step is too large", dt);
    std::string text = fmt::format("dt {:.4g} is {:.2f} of the limit {:.4g}", dt, dt / limit.dt, limit.dt);
    if (!limit.term.empty()) text += fmt::format(", set by the term {} of {}", limit.term, limit.component);
    return text;
}

void settle_time_step(RunSpec& spec, Solver& solver) {
    if (!spec.model->equations) return;
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
            fmt::format("--stepper {}: every step of {} is unstable: take another stepper, or "
                        "--allow-unstable with --dt",
                        spec.stepper.empty() ? spec.model->equations->stepper : spec.stepper,
                        spec.model->name));
    if (share)
        spec.dt = format_real(std::isinf(limit.dt) ? 1 : *share * limit.dt);
    else if (spec.dt.empty())
        spec.dt = format_real(limit.dt == 0 ? 1 : std::min(1.0, kAdvised * limit.dt));
    constexpr double kRounding = 1e-9;
    if (spec.time_step() > limit.dt * (1 + kRounding) && !spec.allow_unstable)
        throw InputError(fmt::format("{}: take --dt {}limit, or add --allow-unstable",
                                     stability_text(spec.time_step(), limit),
                                     kAdvised));
}

}  // namespace stencil
