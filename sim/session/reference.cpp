#include "sim/session/reference.h"

#include <algorithm>
#include <span>

#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/time_step.h"
#include "sim/run/advance.h"
#include "sim/run/resolve.h"

namespace stencil {
namespace {

// The present dt of a time step as text.
std::string fixed_dt(const std::string& text) {
    const TimeStep step = parse_time_step(text);
    return to_string(is_adaptive(step) ? FixedStep{dt_of(step)} : step);
}

}  // namespace

bool is_reshaped(const EditList& edits) {
    return std::ranges::any_of(edits,
                               [](const Edit& edit) { return kind_of(edit.setting) == SettingKind::shape; });
}

std::shared_ptr<const RowSource> origin_of(const Simulation& simulation, const StartMaker& make) {
    RunSpec spec = simulation.spec();
    return is_reshaped(spec.edits) ? rounded(make(spec), spec.dtype) : simulation.start();
}

void Reference::make(const Simulation& of, const StartMaker& make_start) {
    refused_ = true;
    RunSpec spec = of.spec();
    std::erase_if(spec.edits.own(), [](const Edit& edit) {
        return kind_of(edit.setting) == SettingKind::device || edit.setting == setting_name::dtype;
    });
    // A dt that follows the limit is the run's own, though it may be above the limit for a while.
    if (is_adaptive(spec.dt)) spec.dt = FixedStep{spec.time_step()};
    for (Edit& edit : spec.edits.own())
        if (edit.setting == setting_name::dt) edit.value = fixed_dt(edit.value);
    spec.allow_unstable = true;
    spec.dtype = DType::float64;
    spec.kernel.reset();
    spec.backend = of.now().backend;
    // If the run uses exact n-step propagation, steps could not keep up with it.
    spec.method = method_of(of.now())->jumps ? of.now().method : "auto";
    const Machine machine = query_machine();
    spec = resolve(spec, machine);
    check_solver_memory(spec, machine);
    run_ = std::make_unique<Simulation>(spec, origin_of(of, make_start));
    refused_ = false;
}

void Reference::catch_up(const Simulation& of) {
    const auto ahead = std::ranges::lower_bound(of.edits(), run_->step(), {}, &Edit::step);
    for (const Edit& edit : std::span(ahead, of.edits().end()))
        if (is_decided_dt(edit)) run_->schedule({edit.step, edit.setting, fixed_dt(edit.value)});
    const StepCost cost = step_cost(*method_of(run_->now()), run_->timings());
    advance_slice(*run_, {of.step()}, {}, slice_steps(cost));
}

void Reference::follow(long long step, const std::string& setting, const std::string& value) {
    if (!run_ || kind_of(setting) == SettingKind::device) return;
    if (kind_of(setting) == SettingKind::shape)
        forget();  // it restarts with the new shape
    else
        run_->schedule({step, setting, setting == setting_name::dt ? fixed_dt(value) : value});
}

}  // namespace stencil
