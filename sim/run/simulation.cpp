#include "sim/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sim/distributed/distributed_solver.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/error_control.h"
#include "sim/run/resolve.h"
#include "sim/run/stability.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

bool same_solver(const RunSpec& a, const RunSpec& b) {
    const auto same = [](const RunSpec& spec) {
        return std::tie(
            spec.size, spec.dtype, spec.threads, spec.model, spec.integrator, spec.global_every, spec.dx);
    };
    const bool same_sides = !a.is_general() || std::tie(a.boundary, a.boundary_as_typed) ==
                                                   std::tie(b.boundary, b.boundary_as_typed);
    const bool same_kernel = a.kernel == b.kernel && user_kernel::fits(a) == user_kernel::fits(b);
    return method_of(a) == method_of(b) && same(a) == same(b) && same_sides && same_kernel;
}

std::unique_ptr<Solver> make_solver_of(const RunSpec& spec) {
    return make_run_solver(spec, solver_setup(spec));
}

// Converts the state to the next model and size.
State carried(State now, const RunSpec& next, const std::vector<int>& kept, const RowSource& start) {
    State result;
    result.step = now.step;
    for (std::size_t c = 0; c < kept.size(); ++c)
        result.components.push_back(fitted(
            kept[c] < 0 ? start.field(c)->clone() : std::move(now.components[std::size_t(kept[c])]), next));
    return result;
}

// The solver's parameters with the current boundary, which takes effect at once.
StepParameters with_boundary(StepParameters taken, Boundary boundary) {
    taken.boundary = boundary;
    return taken;
}

Statistics statistics_in(const RowSource& source, std::size_t field) {
    return source.recipe().empty() ? statistics_of(*source.field(field)) : look_at(source, field).statistics;
}

// Throws if values are not finite, by themselves or by rounding.
void require_range(const RowSource& given, std::size_t field, DType dtype, std::size_t not_finite) {
    if (not_finite == 0) return;
    const Statistics all = statistics_in(given, field);
    if (all.not_finite > 0)
        throw InputError("{} of {} cells of the start are not finite (NaN or infinite)",
                         all.not_finite,
                         std::size_t(given.nx()) * std::size_t(given.ny()));
    throw InputError(
        "the initial field's values, {:.3g} to {:.3g}, exceed the range of {}: use "
        "--dtype float64",
        all.min,
        all.max,
        name_of(dtype));
}

// Statistics of the first component, after checking the range of all. `look` gives a component's statistics.
template <class Look>
Statistics checked_statistics(const RowSource& given, DType dtype, const Look& look) {
    const Statistics first = look(0);
    require_range(given, 0, dtype, first.not_finite);
    for (std::size_t c = 1; c < given.count(); ++c) require_range(given, c, dtype, look(c).not_finite);
    return first;
}

bool is_parameter(const SetSetting* set) {
    return set && kind_of(set->setting) == SettingKind::parameter;
}

// Whether two values of a setting are equal. Shares of the stable limit never are, as the limit may change.
bool same_value(const std::string& a, const std::string& b) {
    const auto first = read_real(a), second = read_real(b);
    return first && second ? *first == *second : a == b && !a.ends_with("limit");
}

// Whether the stability limit may depend on a setting. How the steps are made, and in which precision, does
// not move it.
bool moves_limit(const std::string& setting) {
    if (setting == setting_name::dt || setting == setting_name::dtype) return false;
    return kind_of(setting) == SettingKind::parameter || kind_of(setting) == SettingKind::shape;
}

// Parameters come first: a change of them would forget what steps keep for later ones, and counts time in a
// dt that the saved state may not have.
void restore_state(Solver& solver, const SavedState& state, const StepParameters& taken) {
    solver.set_params(taken);
    solver.restore(state);
}

// Whether the rates of a field are the same, to the bit.
bool same_rates(const Problem& a, const Problem& b) {
    return a.model == b.model && a.size == b.size && a.dtype == b.dtype && a.boundary == b.boundary &&
           a.boundary_as_typed == b.boundary_as_typed && a.integrator == b.integrator &&
           a.global_every == b.global_every && a.dx == b.dx && a.parameters == b.parameters;
}

// Takes over what steps keep for later ones; false if the two store cells differently.
bool take_past(Solver& to, Solver& from) {
    const InnerState inner = from.inner();
    std::vector<const Field*> arrays;
    std::vector<std::string> names;
    for (const auto& [name, array] : inner.arrays) {
        names.push_back(name);
        arrays.push_back(&array);
    }
    return to.take_inner({inner.numbers, std::move(names), FieldRows(arrays), 0});
}

// What may name arrays in memory.
std::string_view array_text(const Event& event) {
    if (const auto* field = std::get_if<SetField>(&event.change)) return field->what;
    return event.setting() ? event.setting()->value : std::string_view();
}

RunSpec without_events(RunSpec spec) {
    spec.edits = {};
    spec.dt_log = {};
    return spec;
}

// The step of the first item behind a step; `none` if there is none.
template <class T>
long long next_after(const SharedList<T>& items, long long step, long long none = kMaxSteps) {
    const auto next = std::ranges::upper_bound(items, step, {}, &T::step);
    return next == items.end() ? none : next->step;
}

RunSpec document_of(RunSpec now, const SimulationRecord& moment) {
    static_cast<Configuration&>(now) = moment.at_start;
    now.edits = moment.edits;
    now.dt_log = moment.dt_log;
    return now;
}

}  // namespace

RunSpec RunState::document() const {
    return document_of(now, *this);
}

RunSpec Simulation::spec() const {
    return document_of(now_, moment_);
}

Simulation::Simulation(const RunSpec& spec, State start) : Simulation(spec, in_memory(std::move(start))) {}

Simulation::Simulation(const RunSpec& spec, std::shared_ptr<const RowSource> start)
    : now_(without_events(spec)), moment_{spec, spec.edits, {}, 0, spec.dt_log} {
    if (Size{start->nx(), start->ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    keep_arrays(spec.model->text);
    for (const Event& event : spec.edits) keep_arrays(array_text(event));
    moment_.start = rounded(start, spec.dtype);
    if (start->recipe().empty()) {
        start_statistics_ = checked_statistics(
            *start, spec.dtype, [this](std::size_t c) { return statistics_in(*moment_.start, c); });
        start.reset();  // release the float64 original before the solver allocates
    }
    solver_ = make_solver_of(now_);
    solver_->load(*moment_.start);
    if (start) {  // a recipe: the solver already has its rows, so they are not made again
        start_statistics_ = checked_statistics(*start, spec.dtype, [&](std::size_t c) {
            return solver_->statistics(spec.model->components[c].name);
        });
    }
    const bool repeated = !moment_.dt_log.empty();
    take_logged_dt();
    resolve_dt(now_, *solver_);
    if (!repeated) log_start();
    take_parameters();
    check_start(now_, *solver_);
    apply_due_events(repeated);
}

Simulation::Simulation(RunState state)
    : now_(std::move(state.now)),
      moment_(std::move(state)),
      start_statistics_(statistics_in(*moment_.start, 0)),
      step_(state.solver.plain.step) {
    const Method& method = *method_of(now_);
    if (method.is_called(state.solver.method) && state.solver.backend == name_of(method.device))
        timings_ = std::move(state.timings);
    SolverSetup setup = solver_setup(now_);
    static_cast<DiffusionParams&>(setup.params) = {moment_.taken.coefficient, now_.boundary};
    setup.params.values = moment_.taken.values;
    setup.params.dt = moment_.taken.dt;
    solver_ = make_run_solver(now_, setup);
    solver_->resume(state.solver);
    apply_due_events(repeats());
}

RunState Simulation::state() {
    return {moment_, now_, timings_, solver_->snapshot()};
}

RunState Simulation::outline() {
    const Method& method = *method_of(now_);
    SolverRecord solver{{},
                        std::string(method.name),
                        std::string(name_of(method.device)),
                        solver_->inner(false),
                        solver_->clock()};
    solver.plain.step = step_;
    return {moment_, now_, timings_, std::move(solver)};
}

Simulation::Checkpoint Simulation::checkpoint() {
    return {moment_, now_, step_, start_statistics_, solver_->save()};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    SimulationRecord moment = checkpoint;
    RunSpec now = now_;
    static_cast<Configuration&>(now) = checkpoint.now;
    const StepParameters taken = with_boundary(moment.taken, now.boundary);
    if (same_solver(now_, now)) {
        restore_state(*solver_, *checkpoint.state, taken);
    } else {
        auto solver = make_solver_of(now);
        restore_state(*solver, *checkpoint.state, taken);
        take(std::move(solver));
        timings_ = Timings();
    }
    // Nothing below throws.
    now_ = std::move(now);
    moment_ = std::move(moment);
    step_ = checkpoint.step;
    start_statistics_ = checkpoint.start_statistics;
}

void Simulation::look_like(const RunSpec& other) {
    RunSpec next = without_events(other);
    static_cast<Configuration&>(next) = now_;
    now_ = std::move(next);
}

void Simulation::plan(EventList edits, StepLog dt_log) {
    if (edits.size() < moment_.applied) throw std::logic_error("fewer events than have happened");
    moment_.edits = std::move(edits);
    moment_.dt_log = std::move(dt_log);
    take_logged_dt();
}

bool Simulation::conserves_total() const {
    return !now_.is_general() && moment_.conserves && row_of(now_.boundary).conserves_total;
}

void Simulation::expect(long long steps) {
    last_expected_ = step_ + steps;
    solver_->expect(steps);
}

void Simulation::take(std::unique_ptr<Solver> solver) {
    solver_ = std::move(solver);
    solver_->expect(std::max(last_expected_ - step_, 0LL));
}

void Simulation::apply(const Command& command) {
    std::visit([this](const auto& c) { run(c); }, command);
}

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

void Simulation::run(const Set& given) {
    const Set change{std::string(present_name(given.setting)), given.value};
    const SettingKind kind = kind_of(change.setting);
    if (kind == SettingKind::origin) throw InputError("--{} cannot change in mid-run", change.setting);
    if (kind == SettingKind::view) {
        now_ = with_setting(now_, change.setting, change.value);
    } else if (untouched() && kind != SettingKind::shape) {
        this->change(change);
        if (kind == SettingKind::device) {
            moment_.at_start.backend = now_.backend;
            moment_.at_start.method = now_.method;
            moment_.at_start.threads = now_.threads;
        } else {
            if (moves_limit(change.setting)) follow_limit();
            static_cast<Problem&>(moment_.at_start) = now_;
            log_start();
        }
    } else {
        do_now({step_, change});
    }
}

void Simulation::run(const Paint& paint) {
    const bool first = component_index(*now_.model, paint.component) == 0;
    do_now({step_, Paint{paint.piece, first ? "" : paint.component}});
}

void Simulation::run(const SetField& field) {
    const bool first = component_index(*now_.model, field.component) == 0;
    keep_arrays(field.what);
    do_now({step_, SetField{field.what, first ? "" : field.component}});
}

// Holds the arrays that a text or an event names as long as the run may need them.
void Simulation::keep_arrays(std::string_view text) {
    moment_.arrays.merge(arrays_named(text));
}

// Makes an event happen at once. What a repeated run decided later is not valid behind it, unless the event
// changes no bit.
void Simulation::do_now(Event event) {
    const double dt = now_.time_step();
    std::visit([this](const auto& one) { change(one); }, event.change);
    auto* set = std::get_if<SetSetting>(&event.change);
    if (!set || kind_of(set->setting) != SettingKind::device) moment_.dt_log = moment_.dt_log.until(step_);
    // So that dt has one setting, and what is set last counts.
    if (set && set->setting == setting_name::tolerance) *set = {setting_name::dt, to_string(now_.dt)};
    if (record(event, moment_.applied)) ++moment_.applied;
    if (set) forget_return(set->setting);
    decide_after(event, dt);
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

// Decides the dt after an event, and logs what dt the event led to unless the event says that in a number.
void Simulation::decide_after(const Event& event, double dt_before) {
    const SetSetting* set = event.setting();
    if (!set) {
        if (may_move_dt()) follow_limit();
        return;
    }
    if (moves_limit(set->setting)) follow_limit();
    const bool sets_dt = set->setting == setting_name::dt || set->setting == setting_name::tolerance;
    const bool says_dt =
        set->setting == setting_name::dt && std::holds_alternative<FixedStep>(parse_time_step(set->value));
    const bool logged_here = !moment_.dt_log.empty() && moment_.dt_log.back().step == step_;
    const bool led_to = now_.time_step() != dt_before || chooses_model(set->setting) || sets_dt;
    if (logged_here || (led_to && !says_dt)) log_dt();
}

// Drops a change that returns a parameter to its value before this step.
void Simulation::forget_return(const std::string& setting) {
    const auto& edits = moment_.edits;
    const auto sets = [&](std::size_t i) {
        const SetSetting* set = edits[i].setting();
        return set && set->setting == setting;
    };
    if (kind_of(setting) != SettingKind::parameter) return;
    std::size_t last = moment_.applied;
    while (last-- > 0 && !sets(last))
        if (!is_parameter(edits[last].setting())) return;
    std::size_t before = last;
    while (before > 0 && !sets(before - 1)) {
        --before;
        // A change of model or size between the two may have set another value.
        if (const SetSetting* set = edits[before].setting();
            set && kind_of(set->setting) == SettingKind::shape)
            return;
    }
    const std::string old = before > 0 ? edits[before - 1].setting()->value : setting_text(spec(), setting);
    if (!same_value(old, edits[last].setting()->value)) return;
    moment_.edits.modify([&](std::vector<Event>& all) { all.erase(all.begin() + std::ptrdiff_t(last)); });
    --moment_.applied;
}

// Inserts an event into the list; false if it replaced one of the same parameter, or of the same field by
// values that ask nothing of the old ones, at the same step.
bool Simulation::record(const Event& event, std::size_t place) {
    const EventList& edits = moment_.edits;
    if (const auto* field = std::get_if<SetField>(&event.change); field && place > 0) {
        const auto* before = std::get_if<SetField>(&edits[place - 1].change);
        if (before && before->component == field->component && edits[place - 1].step == event.step &&
            !now_.model->reads(field->what)) {
            moment_.edits.modify([&](std::vector<Event>& all) { all[place - 1] = event; });
            return false;
        }
    }
    for (std::size_t i = place; is_parameter(event.setting()) && i-- > 0 && edits[i].step == event.step;) {
        const SetSetting* set = edits[i].setting();
        if (!is_parameter(set)) break;
        if (set->setting != event.setting()->setting) continue;
        moment_.edits.modify([&](std::vector<Event>& all) { all[i] = event; });
        return false;
    }
    if (place == edits.size())
        moment_.edits.push_back(event);
    else
        moment_.edits.modify(
            [&](std::vector<Event>& all) { all.insert(all.begin() + std::ptrdiff_t(place), event); });
    return true;
}

void Simulation::run(const Reset&) {
    moment_.at_start = now_;
    moment_.edits = {};
    moment_.applied = 0;
    moment_.arrays = arrays_named(now_.model->text);
    solver_->load(*moment_.start);
    timings_ = Timings();
    step_ = 0;
    moment_.conserves = true;
    moment_.error_before = 0;
    follow_limit();
    log_start();
}

void Simulation::schedule(const Event& event) {
    if (event.step < step_) throw std::logic_error("an event of the past");
    if (event.step == step_) {
        do_now(event);
        return;
    }
    moment_.dt_log = moment_.dt_log.until(event.step - 1);
    const auto after = std::ranges::upper_bound(moment_.edits, event.step, {}, &Event::step);
    record(event, std::size_t(after - moment_.edits.begin()));
}

long long Simulation::steps_to_next_edit() const {
    return next_after(moment_.edits, step_, kMaxSteps + step_) - step_;
}

// Makes the events of this step happen. A run that repeats another one then takes that one's dt, and else
// decides its own.
void Simulation::apply_due_events(bool repeated) {
    while (moment_.applied < moment_.edits.size() && moment_.edits[moment_.applied].step <= step_) {
        const std::size_t place = moment_.applied++;
        if (is_replaced(place)) continue;
        const Event event = moment_.edits[place];
        const double dt = now_.time_step();
        std::visit([this](const auto& one) { change(one); }, event.change);
        if (!repeated) decide_after(event, dt);
    }
    if (repeated) take_logged_dt();
}

// Whether a later change at the same step sets the parameter anew before it is used.
bool Simulation::is_replaced(std::size_t place) const {
    const auto& edits = moment_.edits;
    const SetSetting* set = edits[place].setting();
    if (!set || set->setting == setting_name::dt) return false;
    for (std::size_t i = place; i < edits.size() && edits[i].step == edits[place].step; ++i) {
        if (!is_parameter(edits[i].setting())) return false;
        if (i > place && edits[i].setting()->setting == set->setting) return true;
    }
    return false;
}

void Simulation::change(const Paint& stroke) {
    const std::size_t component = component_index(*now_.model, stroke.component);
    take_parameters();  // the check depends on them
    check_magnitude(now_, stroke.piece, *solver_);
    solver_->paint(stroke.piece, component);
    moment_.conserves = false;
}

void Simulation::change(const SetField& given) {
    const std::size_t component = component_index(*now_.model, given.component);
    take_parameters();
    const InitialChoice what = values_of(*now_.model, given);
    Field values =
        what.formula.empty() ? make_initial(what, request_of(now_, what)) : solver_->field(what.formula);
    values = fitted(std::move(values), now_);
    const auto is_sensitivity = [](const equation::Evolving& each) { return each.tangent_of.has_value(); };
    if (!what.formula.empty() && !read_real(what.formula) &&
        std::ranges::any_of(now_.model->equations->components, is_sensitivity))
        throw InputError("{}: sensitivities follow numbers and arrays, and no formula of the state", kField);
    if (const Statistics all = statistics_of(values); all.not_finite > 0)
        throw InputError(
            "{}: {} of {} cells are not finite (NaN or infinite)", kField, all.not_finite, values.size());
    const std::unique_ptr<SavedState> saved = now_.is_general() ? nullptr : solver_->save();
    State state = solver_->state();
    for (std::size_t c = 0; c < state.components.size(); ++c)  // sensitivities are those of given values
        if (now_.model->equations->components[c].tangent_of == int(component))
            state.components[c].visit([](auto& cells) { std::ranges::fill(cells.cells(), 0); });
    state.components[component] = std::move(values);
    equation::Clock clock = solver_->clock();
    clock.past_dt = 0;
    solver_->load(state);
    solver_->set_clock(clock);
    try {
        check_magnitude(now_, *solver_);
    } catch (const InputError&) {
        restore_state(*solver_, *saved, moment_.taken);
        throw;
    }
    moment_.conserves = false;
}

void Simulation::change(const SetSetting& change) {
    RunSpec next = with_setting(now_, change.setting, change.value);
    if (change.setting == setting_name::dt || moves_limit(change.setting)) moment_.error_before = 0;
    if (kind_of(change.setting) != SettingKind::parameter || !same_solver(next, now_)) {
        carry_over(next);
        return;
    }
    check_magnitude(next, *solver_);
    resolve_dt(next, *solver_, true, true);
    // The boundary takes effect at once, in the displayed Laplacian.
    static_cast<Configuration&>(now_) = next;
    solver_->set_params(with_boundary(moment_.taken, now_.boundary));
}

void Simulation::take_parameters() {
    moment_.taken = now_.params();
    solver_->set_params(moment_.taken);
}

void Simulation::use(std::shared_ptr<const user_kernel::UserKernel> kernel) {
    RunSpec next = now_;
    const Method* method = method_of(next);
    if (kernel && (method->device != Device::cuda || method->jumps)) {
        next.method = "naive";  // exists for every model
        next.backend = name_of(Device::cuda);
    }
    next.kernel = std::move(kernel);
    carry_over(next);
}

std::shared_ptr<const Field> Simulation::start_of(const std::string& formula) const {
    if (const auto component = find_component(*now_.model, formula)) return moment_.start->field(*component);
    return formula_of(*moment_.start->whole(), formula);
}

std::shared_ptr<const Field> Simulation::formula_of(const State& state, const std::string& formula) const {
    if (const auto component = find_component(*now_.model, formula))
        return std::make_shared<Field>(state.components[*component].clone());
    SolverSetup setup = solver_setup(now_);
    setup.method = find_method("cpu", Device::cpu, kEquation);
    const auto solver = make_solver(setup);
    solver->load(state);
    return std::make_shared<Field>(solver->field(formula));
}

void Simulation::carry_over(const RunSpec& asked) {
    const Machine machine = query_machine();
    RunSpec next = resolve(asked, machine);
    // Resolved already; and arrays of Python have names of files that are yet to be written.
    next.initial = asked.initial;
    next.initials = asked.initials;
    check_solver_memory(next, machine);
    const bool another = next.model != now_.model, resized = next.size != now_.size;
    const std::vector<int> kept = kept_components(now_, next);
    const auto start =
        rounded(another || resized ? carried_start(moment_.start, next, kept) : moment_.start, next.dtype);
    const equation::Clock now{step_, solver_->time()}, since = solver_->clock();
    auto solver = make_solver_of(next);
    if (!another && !resized)
        solver->load(*solver_);
    else if (resized || !solver->go_on_from(*solver_, kept, *start))
        solver->load(carried(solver_->state(), next, kept, *start));
    const bool keeps =
        since.past_dt > 0 || (now_.global_every > 1 && now_.model->equations->has_global_values());
    const bool goes_on = keeps && moment_.taken.values == next.params().values && same_rates(now_, next) &&
                         take_past(*solver, *solver_);
    solver->set_clock(now);
    resolve_dt(next, *solver, true);
    // Rounding to a lower precision may overflow.
    if (another)
        check_magnitude(next, *solver);
    else
        check_magnitude(next, *solver_, *solver);
    const bool same_first = kept.front() == 0 && !resized && next.dtype == now_.dtype;
    if (!same_first) start_statistics_ = statistics_in(*start, 0);
    moment_.start = start;
    keep_arrays(next.model->text);
    take(std::move(solver));
    const bool same_dt = next.params().dt == moment_.taken.dt;
    moment_.taken = next.params();
    solver_->set_params(moment_.taken);
    if (same_dt || goes_on) {  // so that times keep their bits, and multistep integrators their past
        equation::Clock clock = same_dt ? since : solver_->clock();
        clock.past_dt = goes_on ? since.past_dt : 0;
        solver_->set_clock(clock);
    }
    timings_ = Timings();
    moment_.conserves = moment_.conserves && next.size == now_.size;
    static_cast<Configuration&>(now_) = next;
}

}  // namespace stencil
