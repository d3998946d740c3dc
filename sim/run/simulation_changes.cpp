// How commands and events change a run.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/distributed/distributed_solver.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/simulation_solver.h"
#include "sim/run/stability.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

// Converts the state to the next model and size.
State carried(State now, const RunSpec& next, const std::vector<int>& kept, const RowSource& start) {
    State result;
    result.step = now.step;
    for (std::size_t c = 0; c < kept.size(); ++c)
        result.components.push_back(fitted(
            kept[c] < 0 ? start.field(c)->clone() : std::move(now.components[std::size_t(kept[c])]), next));
    return result;
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

}  // namespace

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
