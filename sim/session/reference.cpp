#include "sim/session/reference.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/advance.h"
#include "sim/run/resolve.h"

namespace stencil {
namespace {

SettingKind kind_of_event(const Event& event) {
    return event.setting() ? kind_of(event.setting()->setting) : SettingKind::parameter;
}

// Whether the run's log of time steps has the dt that the event leads to: the reference takes it from there
// instead of deciding it.
bool leaves_dt_to_log(const Event& event) {
    const SetSetting* set = event.setting();
    return set && (set->setting == setting_name::tolerance ||
                   (set->setting == setting_name::dt &&
                    !std::holds_alternative<FixedStep>(parse_time_step(set->value))));
}

}  // namespace

bool is_reshaped(const EventList& events) {
    return std::ranges::any_of(events,
                               [](const Event& event) { return kind_of_event(event) == SettingKind::shape; });
}

std::shared_ptr<const RowSource> origin_of(const Simulation& simulation, const StartMaker& make) {
    RunSpec spec = simulation.spec();
    return is_reshaped(spec.edits) ? rounded(make(spec), spec.dtype) : simulation.start();
}

void Reference::be(const std::optional<RunB>& run_b) {
    release();
    run_b_ = run_b;
}

void Reference::set(const RunB& run_b) {
    const auto& [step, value] = run_b.values.back();
    if (!run_ || step == 0 || step < run_->step())
        release();
    else
        run_->schedule({step, SetSetting{run_b.parameter, value}});
    run_b_ = run_b;
}

// Events of the device are of the run alone. What sets the parameter apart, or decides dt and precision, is
// not repeated either.
bool Reference::leaves_out(const Event& event) const {
    if (kind_of_event(event) == SettingKind::device) return true;
    const SetSetting* set = event.setting();
    if (run_b_) return set && set->setting == run_b_->parameter;
    return leaves_dt_to_log(event) || (set && set->setting == setting_name::dtype);
}

RunSpec Reference::float64_run(const Simulation& of) const {
    RunSpec spec = of.spec();
    // Use the run's own dt, even if it is above the limit for a while.
    if (is_adaptive(spec.dt))
        spec.dt = FixedStep{spec.dt_log.empty() ? of.now().time_step() : spec.dt_log[0].dt};
    spec.allow_unstable = true;
    spec.dtype = DType::float64;
    // Steps could not keep up with exact n-step propagation, so the reference then uses the run's method.
    spec.method = method_of(of.now())->jumps ? of.now().method : "auto";
    return spec;
}

RunSpec Reference::other_run(const Simulation& of) const {
    RunSpec spec = of.spec();
    if (is_adaptive(spec.dt)) spec.dt_log = {};  // it decides its own
    spec.method = of.now().method;
    EventList edits = std::exchange(spec.edits, {});
    spec = with_setting(std::move(spec), run_b_->parameter, run_b_->values.front().value);
    spec.edits = std::move(edits);
    return spec;
}

void Reference::make(const Simulation& of, const StartMaker& make_start) {
    refused_ = true;
    RunSpec spec = run_b_ ? other_run(of) : float64_run(of);
    spec.edits.modify([&](std::vector<Event>& events) {
        std::erase_if(events, [&](const Event& e) { return leaves_out(e); });
    });
    spec.kernel.reset();
    spec.backend = of.now().backend;
    const Machine machine = query_machine();
    spec = resolve(spec, machine);
    check_solver_memory(spec, machine);
    run_ = std::make_unique<Simulation>(spec, origin_of(of, make_start));
    if (run_b_)
        for (std::size_t i = 1; i < run_b_->values.size(); ++i)
            run_->schedule({run_b_->values[i].step, SetSetting{run_b_->parameter, run_b_->values[i].value}});
    refused_ = false;
}

void Reference::catch_up(const Simulation& of) {
    if (!run_b_) run_->plan(run_->edits(), of.dt_log());
    const StepCost cost = step_cost(*method_of(run_->now()), run_->timings());
    advance_slice(*run_, {of.step()}, {}, slice_steps(cost));
}

void Reference::follow(const Event& event) {
    if (!run_ || leaves_out(event)) return;
    if (kind_of_event(event) == SettingKind::shape)
        forget();  // it restarts with the new shape
    else
        run_->schedule(event);
}

}  // namespace stencil
