#include "sim/run/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "sim/model/equations.h"
#include "sim/model/stability/matrices.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/solvers/solver.h"
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

bool is_finite(const UniformState& state) {
    return std::ranges::all_of(state.components, [](double value) { return std::isfinite(value); });
}

// Cells spread evenly over the field, to linearise about.
class Samples {
  public:
    Samples(const Problem& spec, Solver& solver)
        : points_(sample_points(*spec.size)), data_(read_data(spec)) {
        for (const Component& component : spec.model->components)
            values_.push_back(solver.sample(component.name, points_, false));
        state_.components.resize(values_.size());
        state_.data.resize(data_.size());
        state_.parameters = spec.parameters;
        state_.spacing = spec.spacing();
        state_.dt = spec.time_step();
        state_.nx = spec.size->nx;
        state_.ny = spec.size->ny;
        state_.t = solver.time();
    }

    // The few states that are checked for waves of all directions: those with the extreme values of a
    // component, and the fastest.
    std::vector<UniformState> telling(const equation::Equations& equations) {
        std::set<std::size_t> cells{0, fastest(equations)};
        for (const auto& component : values_) {
            const auto [least, most] = std::ranges::minmax_element(component);
            cells.insert({std::size_t(least - component.begin()), std::size_t(most - component.begin())});
        }
        std::vector<UniformState> states;
        for (const std::size_t cell : cells)
            if (is_finite(at(cell))) states.push_back(state_);
        return states;
    }

  private:
    const UniformState& at(std::size_t cell) {
        const SamplePoint& point = points_[cell];
        for (std::size_t c = 0; c < values_.size(); ++c) state_.components[c] = values_[c][cell];
        for (std::size_t d = 0; d < data_.size(); ++d)
            state_.data[d] = data_[d]->at(int(point.x), int(point.y));
        state_.x = point.x * state_.spacing;
        state_.y = point.y * state_.spacing;
        return state_;
    }

    // The cell with the fastest rates for the shortest waves, as varying coefficients decide that.
    std::size_t fastest(const equation::Equations& equations) {
        const double pi = std::numbers::pi;
        equation::Linearisation rates(equations, equation::formulas_of(equations));
        std::size_t found = 0;
        double most = -1;
        for (std::size_t cell = 0; cell < points_.size(); ++cell) {
            if (!is_finite(at(cell))) continue;
            rates.move_to(state_);
            const double size = equation::norm_of(rates.at(pi, pi), rates.components());
            if (!(size > most)) continue;
            most = size;
            found = cell;
        }
        return found;
    }

    std::vector<SamplePoint> points_;
    std::vector<std::shared_ptr<const Array<double>>> data_;  ///< pictures and arrays
    std::vector<std::vector<double>> values_;                 ///< by component, of the cells
    UniformState state_;                                      ///< of the cell looked at last
};

// The state with the fastest rates among those that the reaction alone leads to. Each step takes a tenth of
// the reaction's time scale, or less where that would change a value by more than a tenth. A small positive
// push leaves unstable equilibria, at which runs often start.
UniformState state_ahead(const equation::Equations& equations, UniformState state) {
    constexpr int kSteps = 200;
    constexpr double kPush = 0.01, kShare = 0.1, kBlowUp = 1e3;
    equation::Linearisation rates(equations, equation::formulas_of(equations));
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
        rates.move_to(state);
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
constexpr double kClear = 1.1;  // a step that is stable by this factor at sampled waves is so between them

}  // namespace

StepVerdict verdict(double dt, const StableStep& limit) {
    if (!limit.known()) return StepVerdict::unknown;
    if (dt > limit.dt * (1 + kRounding)) return StepVerdict::unstable;
    return dt > kNearLimit * limit.dt ? StepVerdict::near_limit : StepVerdict::stable;
}

StableStep stable_step(const Problem& spec, Solver& solver, bool ahead, double enough) {
    const equation::SteppingScheme scheme = spec.scheme();
    // Only transforms depend on the boundary, so other schemes need not parse the text again.
    std::optional<equation::Equations> bounded;
    if (scheme == equation::SteppingScheme::imex) bounded = run_equations(spec);
    const equation::Equations& equations = bounded ? *bounded : *spec.model->equations;
    std::vector<UniformState> states = Samples(spec, solver).telling(equations);
    if (ahead)
        for (UniformState& state : states) state = state_ahead(equations, state);
    return equation::stable_step(equations, scheme, states, enough);
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
    const auto share = share_of_limit(spec.dt);
    const bool open = share || spec.dt.empty();
    const StableStep limit = stable_step(spec, solver, false, open ? kUnbounded : kClear * spec.time_step());
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
