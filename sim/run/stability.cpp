#include "sim/run/stability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/time_step.h"
#include "sim/problem/start.h"
#include "sim/problem/typed_run.h"
#include "sim/problem/unstable_step.h"
#include "sim/run/error_control.h"
#include "sim/solvers/solver.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using equation::StableStep;
using equation::UniformState;

constexpr int kSamples = 24, kFewSamples = 8;  ///< along each axis
constexpr double kAdvised = 0.8;

// Centres of cells spread evenly over the field.
std::vector<SamplePoint> sample_points(Size size, int samples) {
    const auto centre = [=](int i, int n) { return std::floor((i + 0.5) * n / samples) + 0.5; };
    std::vector<SamplePoint> points;
    for (int j = 0; j < samples; ++j)
        for (int i = 0; i < samples; ++i) points.push_back({centre(i, size.nx), centre(j, size.ny)});
    return points;
}

bool is_finite(const UniformState& state) {
    return std::ranges::all_of(state.components, [](double value) { return std::isfinite(value); });
}

// How fast the shortest waves change, by which states are compared.
double speed_at(equation::Linearisation& rates, const UniformState& state) {
    const double pi = std::numbers::pi;
    rates.move_to(state);
    return equation::norm_of(rates.at(pi, pi));
}

bool depends_on_place(const equation::Equations& equations) {
    return std::ranges::any_of(equations.components, [&](const equation::Evolving& component) {
        const equation::Dependence& depends = equations.graph.depends(component.formula);
        return depends.column || depends.row;
    });
}

// The few states, of cells spread evenly over the field, that are checked for waves of all directions: those
// with the extreme values of a component, and, unless `brief`, the fastest, as varying coefficients decide
// that.
std::vector<UniformState> telling_states(const Problem& spec,
                                         Solver& solver,
                                         const equation::Equations& equations,
                                         bool brief) {
    if (!spec.is_general()) {  // its rates are the same at every state
        UniformState state{{0}, spec.parameters, spec.dx, spec.time_step()};
        state.nx = spec.size->nx;
        state.ny = spec.size->ny;
        return {state};
    }
    const std::vector<SamplePoint> points = sample_points(*spec.size, brief ? kFewSamples : kSamples);
    const auto data = read_data(spec);
    std::vector<std::vector<double>> values;  // by component
    std::set<std::size_t> cells;
    for (const Component& component : spec.model->components) {
        const std::vector<double>& own = values.emplace_back(solver.sample(component.name, points, false));
        const auto [least, most] = std::ranges::minmax_element(own);
        cells.insert({std::size_t(least - own.begin()), std::size_t(most - own.begin())});
    }
    UniformState state{std::vector<double>(values.size()),
                       spec.parameters,
                       spec.dx,
                       spec.time_step(),
                       spec.size->nx,
                       spec.size->ny,
                       0,
                       0,
                       solver.time(),
                       std::vector<double>(data.size()),
                       true};
    const auto move_to = [&](std::size_t cell) {
        const auto [x, y] = points[cell];
        state.x = x * spec.dx;
        state.y = y * spec.dx;
        for (std::size_t c = 0; c < values.size(); ++c) state.components[c] = values[c][cell];
        for (std::size_t i = 0; i < data.size(); ++i) state.data[i] = data[i]->at(int(x), int(y));
        return is_finite(state);
    };
    if (!brief) {
        // Cells with the same values, as around a start in the middle, count once unless their place tells
        // more.
        const bool of_place = !data.empty() || depends_on_place(equations) || equations.has_global_values();
        std::set<std::vector<double>> seen;
        equation::Linearisation rates(equations, equation::formulas_of(equations));
        std::size_t fastest = 0;
        double most = -1;
        for (std::size_t cell = 0; cell < points.size(); ++cell) {
            if (!move_to(cell) || (!of_place && !seen.insert(state.components).second)) continue;
            if (const double speed = speed_at(rates, state); speed > most) most = speed, fastest = cell;
        }
        cells.insert({std::size_t(0), fastest});
    }
    std::vector<UniformState> telling;
    for (const std::size_t cell : cells)
        if (move_to(cell)) telling.push_back(state);
    return telling;
}

// The state with the fastest rates among those that the reaction alone leads to within a time. Each step
// takes a tenth of the reaction's time scale, or less where that would change a value by more than a tenth. A
// small positive push leaves unstable equilibria, at which runs often start.
UniformState state_ahead(const equation::Equations& equations, UniformState state, double time) {
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
    for (int i = 0; i < kSteps && time > 0 && is_finite(state) && largest(state) < bound; ++i) {
        if (const double speed = speed_at(rates, state); speed > most) {
            most = speed;
            fastest = state;
        }
        double fastest_change = equation::norm_of(rates.at(0, 0));
        for (int c = 0; c < rates.components(); ++c)
            if (equations.components[std::size_t(c)].rate)
                fastest_change =
                    std::max(fastest_change, std::abs(rates.value(std::size_t(c))) / largest(state));
        if (!(fastest_change > 0)) break;
        const double step = std::min(kShare / fastest_change, time);
        time -= step;
        for (int c = 0; c < rates.components(); ++c) {
            double& value = state.components[std::size_t(c)];
            const double by = rates.value(std::size_t(c));
            value = equations.components[std::size_t(c)].rate ? value + step * by : by;
        }
    }
    return fastest;
}

constexpr double kRounding = 1e-9, kNearLimit = 0.95;
constexpr double kClear = 1.1;     // a step that is stable by this factor at sampled waves is so between them
constexpr double kFarBelow = 1.2;  // and by this factor at few waves
constexpr double kBand = 0.05;     // a step that follows the limit may be off its share by this

// The limit at the sampled cells of a field.
class FieldLimit {
  public:
    FieldLimit(const Problem& spec, Solver& solver) : scheme_(spec.integrator) {
        // Only transforms depend on the boundary, so other schemes have those of the text.
        if (scheme_->is_implicit) bounded_ = planned_equations(spec);
        equations_ = bounded_ ? &bounded_->equations() : spec.model->equations.get();
        states_ = telling_states(spec, solver, *equations_, false);
    }
    FieldLimit(const FieldLimit&) = delete;
    FieldLimit& operator=(const FieldLimit&) = delete;

    StableStep now(double enough) const {
        return equation::stable_step(*equations_, scheme_, states_, enough);
    }
    /// At these values at another time.
    StableStep at(double time, double enough) const {
        std::vector<UniformState> states = states_;
        for (UniformState& state : states) state.t = time;
        return equation::stable_step(*equations_, scheme_, states, enough);
    }
    /// The explicit integrators by which some step is stable.
    std::string stable_integrators() const {
        std::vector<std::string> names;
        for (const equation::IntegratorRow& row : equation::integrators())
            if (!row.is_implicit && (row.steps_maps || !equations_->has_maps()) &&
                equation::stable_step(*equations_, equation::Integrator(row), states_, kUnbounded).dt > 0)
                names.push_back(row.name);
        return fmt::format("{}", fmt::join(names, ", "));
    }
    /// At the states to which the reaction leads within a time.
    StableStep ahead(double time, double enough) const {
        std::vector<UniformState> states = states_;
        for (UniformState& state : states) state = state_ahead(*equations_, state, time);
        return equation::stable_step(*equations_, scheme_, states, enough);
    }

  private:
    equation::Integrator scheme_;
    std::shared_ptr<const PlannedEquations> bounded_;
    const equation::Equations* equations_;
    std::vector<UniformState> states_;
};

// The step to take of a field's limits: the share of the one at its values, or its half, quarter ... which is
// that share also where the reaction alone leads before the limit is computed again. `dt` is kept where it is
// as good. Empty if there is no limit.
std::optional<double> step_to_follow(const FieldLimit& field, double share, double dt) {
    const StableStep now = field.now(kUnbounded);
    if (!now.known() || !(now.dt > 0) || std::isinf(now.dt)) return std::nullopt;
    const double most = share * now.dt;
    const auto holds = [&](double step) {
        const StableStep later = field.ahead(kFollowEvery * step, step / share);
        return !(later.dt > 0 && later.dt * (1 + kBand) < step / share);
    };
    const double largest = (1 + kRounding) * std::max(most, std::min((1 + kBand) * most, now.dt));
    const auto keeps = [&](double step) { return dt >= (1 - kBand) * step && dt <= largest && holds(dt); };
    if (keeps(most)) return dt;
    double step = most;
    for (int halved = 0; halved < 30 && !holds(step); ++halved) step /= 2;
    return step < most && keeps(step) ? dt : short_step(step);
}

// The value beyond a side is a quotient: that by 0 is refused.
void require_ghosts(const Problem& spec, double time) {
    const equation::Equations& equations = *spec.model->equations;
    const equation::Graph& g = equations.graph;
    const auto is_known = [&](equation::Node node) {
        return g.depends(node).uniform() && !g.depends(node).global;
    };
    const UniformState state{std::vector<double>(equations.components.size(), 0.0),
                             spec.parameters,
                             spec.dx,
                             spec.time_step(),
                             spec.size->nx,
                             spec.size->ny,
                             0,
                             0,
                             time};
    const auto check = [&](const std::string& name,
                           std::string_view side,
                           const equation::Condition& c,
                           bool by_transforms = false) {
        if (c.periodic || !is_known(c.value) || !is_known(c.flux)) return;
        const double value = equation::value_at(equations, c.value, state) / 2,
                     flux = equation::value_at(equations, c.flux, state) / spec.dx;
        if (by_transforms && value * flux < 0)
            throw InputError(
                "{0}: {1} is solved for by transforms, which take the factors of {1} and flux({1}) with the "
                "same sign on one side of the condition{2}",
                side,
                name,
                spec.integrator->is_implicit ? ": take another integrator, such as rkl2" : "");
        if (std::abs(value + flux) > 1e-6 * (std::abs(value) + std::abs(flux))) return;
        throw InputError(
            "{}: the factors of {} and of its flux cancel or are 0, so that the condition says nothing of "
            "the "
            "value beyond: change a factor or dx",
            side,
            name);
    };
    for (std::size_t side = 0; side < equation::kAtEdge && spec.boundary_as_typed; ++side) {
        if (spec.flat_axis() == side / 2) continue;
        for (const auto& c : equations.components)
            check(c.name, equation::kSideNames[side], c.sides[side], spec.integrator->is_implicit);
        for (const auto& e : equations.elliptic)
            check(e.name, equation::kSideNames[side], e.sides[side], true);
        for (const auto& d : equations.definitions)
            if (d.sides[side]) check(d.name, equation::kSideNames[side], *d.sides[side]);
    }
    for (const auto& c : equations.components)
        if (c.edge) check(c.name, "edge", *c.edge);
    for (const auto& d : equations.definitions)
        if (d.edge) check(d.name, "edge", *d.edge);
}

// Whether a step is so far below the limit that few waves tell; if `brief`, at few cells. Coefficients that
// vary from cell to cell, and what needs all of the text again, need a close look.
bool is_far_below(double dt, const Problem& spec, Solver& solver, bool brief) {
    const equation::Equations& equations = *spec.model->equations;
    if (spec.integrator->is_implicit || equations.inside || !equations.data.empty() ||
        depends_on_place(equations))
        return false;
    return equation::is_stable_at_few_waves(
        equations, spec.integrator, telling_states(spec, solver, equations, brief), kFarBelow * dt);
}

}  // namespace

double short_step(double dt) {
    const double digit = std::pow(10, std::floor(std::log10(dt)) - 2);
    const double rounded =
        read_real(fmt::format("{:.3g}", std::floor(dt / digit + 1e-9) * digit)).value_or(0);
    return rounded > 0 ? rounded : dt;
}

StepVerdict verdict(double dt, const StableStep& limit) {
    if (!limit.known()) return StepVerdict::unknown;
    if (dt > limit.dt * (1 + kRounding)) return StepVerdict::unstable;
    return dt > kNearLimit * limit.dt ? StepVerdict::near_limit : StepVerdict::stable;
}

StableStep stable_step(const Problem& spec, Solver& solver, bool ahead, double enough) {
    const FieldLimit field(spec, solver);
    return ahead ? field.ahead(kUnbounded, enough) : field.now(enough);
}

double time_beyond_limit(const Problem& spec, Solver& solver, double since) {
    const FieldLimit field(spec, solver);
    const double dt = spec.time_step();
    const auto is_beyond = [&](double time) {
        return verdict(dt, field.at(time, kClear * dt)) == StepVerdict::unstable;
    };
    double low = since, high = solver.time();
    if (is_beyond(low)) return since;
    while (high - low > 1e-3 * dt) {
        const double middle = low + (high - low) / 2;
        (is_beyond(middle) ? high : low) = middle;
    }
    return high;
}

std::string limit_share(double dt, double limit) {
    const double share = dt / limit;
    return share < 100 ? fmt::format("{:.2f} of the limit {:.4g}", share, limit)
                       : fmt::format("{:.3g} times the limit {:.3g}", share, limit);
}

std::string stability_text(double dt, const StableStep& limit) {
    if (!limit.known())
        return fmt::format("dt {:.4g}; its limit cannot be worked out: not finite at the field's values", dt);
    if (std::isinf(limit.dt)) return fmt::format("dt {:.4g}; there is no stability limit", dt);
    std::string text = limit.dt > 0 ? fmt::format("dt {:.4g} is {}", dt, limit_share(dt, limit.dt))
                                    : fmt::format("dt {:.4g}; waves grow in steps of any length", dt);
    if (!limit.term.empty()) text += fmt::format(", set by the term {} of {}", limit.term, limit.component);
    return text;
}

void resolve_dt(RunSpec& spec, Solver& solver, bool underway, bool brief) {
    require_ghosts(spec, solver.time());
    const double given = dt_of(spec.dt);
    const bool controlled = std::holds_alternative<ByTolerance>(spec.dt), adaptive = is_adaptive(spec.dt);
    if (controlled) require_error_control(spec);
    if (controlled && given > 0 && underway) return;
    const bool steps_outright = std::ranges::none_of(spec.model->equations->components,
                                                     [](const auto& component) { return component.rate; });
    if (steps_outright) {
        if (controlled) spec.dt = UsualStep{};
        if (given == 0) spec.decide_dt(1);
        return;
    }
    const bool fixed = given > 0 && !adaptive;
    if (fixed && (spec.allow_unstable || is_far_below(given, spec, solver, brief))) return;
    const StableStep limit = stable_step(spec, solver, false, given > 0 ? kClear * given : kUnbounded);
    if (limit.dt == 0 && !spec.allow_unstable) {
        const std::string others = limit.downwind ? "" : FieldLimit(spec, solver).stable_integrators();
        throw UnstableStep("every step by {} is unstable: {}, or add --allow-unstable with --dt",
                           name_of(spec.integrator),
                           limit.downwind
                               ? "its first derivatives are taken from where the wind blows to, so that "
                                 "waves grow: take them from the other side"
                           : others.empty() ? "take another integrator"
                                            : "take the integrator " + others);
    }
    const auto* share = std::get_if<ShareOfLimit>(&spec.dt);
    const auto* follow = std::get_if<FollowLimit>(&spec.dt);
    if (!limit.known() && (share || follow) && given == 0)
        throw InputError(Given{"dt", to_string(spec.dt)},
                         "the limit cannot be worked out: not finite at the field's values: give a number");
    const auto of_limit = [](double factor, const StableStep& at) {
        return std::isfinite(at.dt) && at.dt > 0 ? factor * at.dt : 1;
    };
    const auto usual = [&] {
        return std::min(
            {1.0, of_limit(kAdvised, limit), of_limit(kAdvised, stable_step(spec, solver, true))});
    };
    if (given == 0)
        spec.decide_dt(follow       ? step_to_follow({spec, solver}, follow->share, 0).value_or(1)
                       : share      ? of_limit(share->share, limit)
                       : controlled ? short_step(usual())
                                    : usual());
    if (controlled || (underway && adaptive)) return;
    if (verdict(spec.time_step(), limit) == StepVerdict::unstable && !spec.allow_unstable)
        throw UnstableStep("{}: take --dt {}limit, or add --allow-unstable",
                           stability_text(spec.time_step(), limit),
                           kAdvised);
}

double followed_dt(const Problem& spec, Solver& solver) {
    const auto* follow = std::get_if<FollowLimit>(&spec.dt);
    return follow ? step_to_follow({spec, solver}, follow->share, follow->dt).value_or(follow->dt)
                  : spec.time_step();
}

}  // namespace stencil
