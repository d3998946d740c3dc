// How a run makes its steps, and decides how long they are.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/model/equations.h"
#include "sim/run/error_control.h"
#include "sim/run/simulation.h"
#include "sim/run/simulation_solver.h"
#include "sim/run/stability.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// The step of the first item behind a step; `none` if there is none.
template <class T>
long long next_after(const SharedList<T>& items, long long step, long long none = kMaxSteps) {
    const auto next = std::ranges::upper_bound(items, step, {}, &T::step);
    return next == items.end() ? none : next->step;
}

}  // namespace

void Simulation::run(const Advance& advance) {
    const Goal goal = goal_of(advance);
    while (const auto next = next_stretch(goal)) make(*next);
}

void Simulation::make(const Stretch& stretch) {
    if (stretch.tolerance) {
        make_controlled_step(*stretch.tolerance);
        apply_due_events(false);
        return;
    }
    solver_->advance(stretch.steps);
    made(stretch, solver_->wait());
}

Simulation::Goal Simulation::goal_of(const Advance& advance) const {
    if (advance.steps < 0) throw InputError("cannot advance by {} steps", advance.steps);
    return {step_ + advance.steps, advance.time, advance.shortens && can_shorten()};
}

std::optional<Simulation::Stretch> Simulation::next_stretch(const Goal& goal) {
    if (step_ >= goal.step || is_at(time(), goal.time, next_dt())) return std::nullopt;
    Stretch next{.repeated = repeats()};
    if (const double left = goal.time - time(); goal.shortens && left < (1 - kSameTime) * next_dt()) {
        // A step of this dt, with which the run ends. An error that is controlled may shorten it further.
        next = {.steps = 1, .dt_before = now_.time_step()};
        moment_.dt_log = moment_.dt_log.until(step_);
        decide_dt(left);
    }
    if (!next.repeated && (next.tolerance = tolerance_in_force())) return next;
    solver_->estimate_errors(false);
    if (next.dt_before) {
        take_parameters();
        return next;
    }
    const bool edit_ahead =
        moment_.applied < moment_.edits.size() && moment_.edits[moment_.applied].step < goal.step;
    next.steps = (edit_ahead ? moment_.edits[moment_.applied].step : goal.step) - step_;
    next.follows = !next.repeated && may_move_dt();
    if (next.follows) next.steps = std::min(next.steps, kFollowEvery - step_ % kFollowEvery);
    if (next.repeated) next.steps = std::min(next.steps, next_after(moment_.dt_log, step_) - step_);
    next.steps = std::min(next.steps, steps_until(goal.time, goal.shortens));
    // Parameters take effect at the next step; values set while paused and changed again never do.
    take_parameters();
    return next;
}

void Simulation::made(const Stretch& stretch, double seconds) {
    if (stretch.steps > 0) moment_.conserves = conserves_total();
    timings_.add(seconds, stretch.steps);
    step_ += stretch.steps;
    if (stretch.dt_before) decide_dt(*stretch.dt_before);
    if (stretch.follows && step_ % kFollowEvery == 0) follow_limit();
    apply_due_events(stretch.repeated);
}

double Simulation::next_dt() const {
    const double dt = now_.time_step();
    return dt > 0 ? dt : 1;
}

bool Simulation::can_shorten() const {
    return std::ranges::all_of(now_.model->equations->components, &equation::Evolving::rate);
}

// The steps of the present dt to the first one at or after this time, or to the last one that is not after
// it.
long long Simulation::steps_until(double time, bool shortens) const {
    const double left = (time - this->time()) / next_dt();
    const double steps = shortens ? std::floor(left + kSameTime) : std::ceil(left - kSameTime);
    return static_cast<long long>(std::clamp(steps, 1.0, double(kMaxSteps)));
}

// Whether the run has the log of another one that went further.
bool Simulation::repeats() const {
    return !moment_.dt_log.empty() && moment_.dt_log.back().step > step_;
}

// The tolerance of the next step's error; empty: dt is not chosen by the error.
std::optional<double> Simulation::tolerance_in_force() const {
    const auto* step = std::get_if<ByTolerance>(&now_.dt);
    return step && may_move_dt() ? std::optional(step->tolerance) : std::nullopt;
}

// Makes a step whose estimated error is within the tolerance, and chooses the next one's dt.
void Simulation::make_controlled_step(double tolerance) {
    constexpr int kMostAttempts = 12;  // a field that overflows does so by any step
    if (!solver_->estimate_errors(true))
        throw InputError(Given{"tolerance"},
                         "the steps of a kernel of your own have no estimated error: give --dt");
    const int order = now_.integrator->error_order;
    const double dt_before = moment_.taken.dt;
    // A field at rest has no error at any dt, and one that overflows at every dt.
    const auto next_step = [this](double factor) {
        return short_step(std::clamp(factor * now_.time_step(), 1e-100, 1e100));
    };
    take_parameters();
    const StepParameters taken = moment_.taken;
    const std::unique_ptr<SavedState> saved = solver_->save();
    double error = 0, seconds = 0;
    for (int attempt = 1;; ++attempt) {
        solver_->advance(1);
        error = solver_->step_error() / tolerance;
        seconds += solver_->wait();
        if (error <= 1 || attempt == kMostAttempts) break;
        restore_state(*solver_, *saved, taken);
        double dt = next_step(retry_factor(error, order));
        // Never reuse the previous dt: the clock of a repetition would accumulate differently.
        if (dt == dt_before) dt = short_step(0.9 * dt);
        decide_dt(dt);
        take_parameters();
    }
    ++step_;
    moment_.conserves = conserves_total();
    timings_.add(seconds, 1);
    const double before = std::exchange(moment_.error_before, std::isfinite(error) ? error : 0);
    const double factor = step_factor(error, before, order);
    // No raise after a step with a lower dt than the one before, which a repetition sees as well.
    const bool lowered = now_.time_step() < dt_before;
    if (factor < 1 || (factor > 1 && !lowered)) decide_dt(next_step(factor));
}

void Simulation::decide_dt(double dt) {
    now_.decide_dt(dt);
    log_dt();
}

// Logs the present dt from this step on.
void Simulation::log_dt() {
    moment_.error_before = 0;
    StepLog& log = moment_.dt_log;
    const DecidedStep decided{step_, now_.time_step()};
    if (log.empty() || log.back().step < step_)
        log.push_back(decided);
    else if (log.back() != decided)
        log.modify([&](std::vector<DecidedStep>& all) { all.back() = decided; });
}

// The dt that a run begins with is part of its settings, unless the run is to change it.
void Simulation::log_start() {
    moment_.at_start.dt = undecided(now_.dt);
    moment_.at_start.usual_dt = now_.usual_dt;
    moment_.dt_log = {};
    if (is_adaptive(now_.dt)) log_dt();
}

void Simulation::take_logged_dt() {
    const auto found = std::ranges::lower_bound(moment_.dt_log, step_, {}, &DecidedStep::step);
    if (found == moment_.dt_log.end() || found->step != step_) return;
    moment_.error_before = 0;
    now_.decide_dt(found->dt);
}

bool Simulation::may_move_dt() const {
    return is_adaptive(now_.dt) && now_.is_general();
}

// Decides a dt that follows the limit.
void Simulation::follow_limit() {
    if (!is_adaptive(now_.dt)) return;
    const double dt = followed_dt(now_, *solver_);
    if (dt != now_.time_step()) decide_dt(dt);
}

long long Simulation::steps_to_next_edit() const {
    return next_after(moment_.edits, step_, kMaxSteps + step_) - step_;
}

}  // namespace stencil
