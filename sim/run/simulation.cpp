#include "sim/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/files/image.h"
#include "sim/run/resolve.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// In the spec's precision and size.
Field fitted(Field field, const RunSpec& spec) {
    if (Size{field.nx(), field.ny()} != *spec.size) {
        const Field wide = field.to(DType::float64);
        field = resample(wide.as<double>(), spec.size->nx, spec.size->ny);
    }
    return field.dtype() == spec.dtype ? std::move(field) : field.to(spec.dtype);
}

bool same_solver(const RunSpec& a, const RunSpec& b) {
    return method_of(a) == method_of(b) && a.size == b.size && a.dtype == b.dtype && a.threads == b.threads;
}

RunSpec without_edits(RunSpec spec) {
    spec.edits = {};
    return spec;
}

}  // namespace

Simulation::Simulation(const RunSpec& spec, Field start) : moment_{spec, without_edits(spec)} {
    if (Size{start.nx(), start.ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    const bool rounded = start.dtype() != spec.dtype;
    moment_.start = std::make_shared<Field>(rounded ? start.to(spec.dtype) : std::move(start));
    start_statistics_ = statistics_of(*moment_.start);
    // Rounding made them infinite: the file's own values are finite.
    if (rounded && start_statistics_.not_finite > 0) {
        const Statistics given = statistics_of(start);
        throw InputError(
            fmt::format("the initial field's values, {:.3g} to {:.3g}, exceed the range of {}: use "
                        "--dtype float64",
                        given.min,
                        given.max,
                        name_of(spec.dtype)));
    }
    start = Field();  // its float64 original is not needed beside the solver
    solver_ = make_solver(solver_setup(moment_.now));
    moment_.coefficient = moment_.now.params().coefficient;
    solver_->load(*moment_.start);
    check_start(moment_.spec, *solver_);
    apply_due_edits();
}

Simulation::Simulation(RunState state)
    : moment_(std::move(state)),
      start_statistics_(statistics_of(*moment_.start)),
      step_(state.solver.plain.step) {
    const Method& method = *method_of(moment_.now);
    if (state.solver.method == method.name && state.solver.backend == name_of(method.device))
        timings_ = std::move(state.timings);
    SolverSetup setup = solver_setup(moment_.now);
    setup.params.coefficient = moment_.coefficient;
    solver_ = make_solver(setup);
    solver_->resume(state.solver);
}

RunState Simulation::state() {
    return {moment_, timings_, solver_->snapshot()};
}

Simulation::Checkpoint Simulation::checkpoint() {
    return {moment_, step_, start_statistics_, solver_->save()};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    RunMoment moment = checkpoint;
    if (same_solver(moment_.now, moment.now)) {
        solver_->restore(*checkpoint.state);
        solver_->set_params({moment.coefficient, moment.now.boundary});
    } else {
        auto solver = make_solver(solver_setup(moment.now));
        solver->restore(*checkpoint.state);
        solver_ = std::move(solver);
        timings_ = Timings();
    }
    // From here on nothing throws.
    moment_ = std::move(moment);
    step_ = checkpoint.step;
    start_statistics_ = checkpoint.start_statistics;
}

bool Simulation::conserves_total() const {
    return moment_.conserves && row_of(moment_.now.boundary).conserves_total;
}

void Simulation::apply(const Command& command) {
    std::visit([this](const auto& c) { run(c); }, command);
}

void Simulation::run(const Advance& advance) {
    if (advance.steps < 0) throw InputError(fmt::format("cannot advance by {} steps", advance.steps));
    const long long end = step_ + advance.steps;
    while (step_ < end) {
        const bool edit_ahead =
            moment_.applied < moment_.spec.edits.size() && moment_.spec.edits[moment_.applied].step < end;
        const long long steps = (edit_ahead ? moment_.spec.edits[moment_.applied].step : end) - step_;
        // Only now: what a parameter was in between, while the run stood still, is nothing that was stepped.
        take_parameters();
        solver_->advance(steps);
        if (steps > 0) moment_.conserves = conserves_total();
        timings_.add(solver_->wait(), steps);
        step_ += steps;
        apply_due_edits();
    }
}

void Simulation::run(const Set& change) {
    const SettingKind kind = kind_of(change.setting);
    if (kind == SettingKind::origin)
        throw InputError(fmt::format("--{} cannot change in mid-run", change.setting));
    if (kind == SettingKind::view || (untouched() && kind != SettingKind::shape)) {
        RunSpec spec = changed(moment_.spec, change.setting, change.value);
        if (kind != SettingKind::view)
            put_in_force({step_, change.setting, change.value});
        else
            moment_.now = changed(moment_.now, change.setting, change.value);
        if (kind == SettingKind::device) {
            spec.backend = moment_.now.backend;
            spec.method = moment_.now.method;
        }
        moment_.spec = std::move(spec);
        return;
    }
    do_edit({step_, change.setting, change.value});
}

void Simulation::run(const Paint& paint) {
    do_edit({step_, std::string(kPaint), to_string(paint.piece)});
}

void Simulation::do_edit(Edit edit) {
    put_in_force(edit);
    if (record(edit, moment_.applied)) ++moment_.applied;
}

// Among the spec's edits; false where it took the place of the one before of the same parameter at the same
// step.
bool Simulation::record(const Edit& edit, std::size_t place) {
    std::vector<Edit>& edits = moment_.spec.edits.own();
    const auto merges = [](const Edit& e) {
        return e.setting != kPaint && kind_of(e.setting) == SettingKind::parameter;
    };
    for (std::size_t i = place; merges(edit) && i-- > 0 && edits[i].step == edit.step;) {
        if (edits[i].setting == edit.setting) {
            edits[i].value = edit.value;
            return false;
        }
        if (!merges(edits[i])) break;
    }
    edits.insert(edits.begin() + std::ptrdiff_t(place), edit);
    return true;
}

void Simulation::run(const Reset&) {
    moment_.spec = moment_.now;
    moment_.applied = 0;
    solver_->load(*moment_.start);
    timings_ = Timings();
    step_ = 0;
    moment_.conserves = true;
}

void Simulation::schedule(const Edit& edit) {
    if (edit.step < step_) throw std::logic_error("an edit of the past");
    if (edit.step == step_) {
        do_edit(edit);
        return;
    }
    const auto after = std::ranges::upper_bound(moment_.spec.edits, edit.step, {}, &Edit::step);
    record(edit, std::size_t(after - moment_.spec.edits.begin()));
}

long long Simulation::steps_to_next_edit() const {
    const auto next = std::ranges::upper_bound(moment_.spec.edits, step_, {}, &Edit::step);
    return next == moment_.spec.edits.end() ? kMaxSteps : next->step - step_;
}

void Simulation::apply_due_edits() {
    while (moment_.applied < moment_.spec.edits.size() && moment_.spec.edits[moment_.applied].step <= step_) {
        put_in_force(moment_.spec.edits[moment_.applied]);
        ++moment_.applied;
    }
}

void Simulation::put_in_force(const Edit& edit) {
    if (edit.setting == kPaint) {
        const BrushPiece piece = parse_piece(edit.value);
        take_parameters();  // which say how large a value may be
        check_magnitude(moment_.now, piece, *solver_);
        solver_->paint(piece);
        moment_.conserves = false;
        return;
    }
    RunSpec next = changed(moment_.now, edit.setting, edit.value);
    if (kind_of(edit.setting) != SettingKind::parameter) {
        carry_over(next);
        return;
    }
    check_magnitude(next, *solver_);
    // The boundary shows at once, in the Laplacian.
    solver_->set_params({moment_.coefficient, next.boundary});
    moment_.now = std::move(next);
}

void Simulation::take_parameters() {
    solver_->set_params(moment_.now.params());
    moment_.coefficient = moment_.now.params().coefficient;
}

void Simulation::carry_over(const RunSpec& asked) {
    const Machine machine = query_machine();
    const RunSpec next = resolve(asked, machine);
    check_solver_memory(next, machine);
    Field field = fitted(solver_->field(), next);
    auto solver = make_solver(solver_setup(next));
    check_magnitude(next, *solver_, *solver);
    solver->load(field, step_);
    if (Size{moment_.start->nx(), moment_.start->ny()} != *next.size ||
        moment_.start->dtype() != next.dtype) {
        moment_.start = std::make_shared<Field>(fitted(moment_.start->clone(), next));
        start_statistics_ = statistics_of(*moment_.start);
    }
    solver_ = std::move(solver);
    moment_.coefficient = next.params().coefficient;
    timings_ = Timings();
    moment_.conserves = moment_.conserves && next.size == moment_.now.size;
    moment_.now = next;
}

}  // namespace stencil
