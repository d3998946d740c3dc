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

Simulation::Simulation(const RunSpec& spec, Field start) : spec_(spec), now_(without_edits(spec)) {
    if (Size{start.nx(), start.ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    const bool rounded = start.dtype() != spec.dtype;
    start_ = std::make_shared<Field>(rounded ? start.to(spec.dtype) : std::move(start));
    start_statistics_ = statistics_of(*start_);
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
    solver_ = make_solver(solver_setup(now_));
    coefficient_ = now_.params().coefficient;
    solver_->load(*start_);
    check_start(spec_, *solver_);
    apply_due_edits();
}

Simulation::Simulation(RunState state)
    : spec_(std::move(state.spec)),
      now_(std::move(state.now)),
      applied_(state.applied),
      conserves_(state.conserves),
      coefficient_(state.coefficient),
      start_(std::move(state.start)),
      start_statistics_(statistics_of(*start_)),
      step_(state.solver.plain.step) {
    const Method& method = *method_of(now_);
    if (state.solver.method == method.name && state.solver.backend == name_of(method.device))
        timings_ = std::move(state.timings);
    SolverSetup setup = solver_setup(now_);
    setup.params.coefficient = coefficient_;
    solver_ = make_solver(setup);
    solver_->resume(state.solver);
}

RunState Simulation::state() {
    return {spec_, now_, applied_, conserves_, coefficient_, start_, timings_, solver_->snapshot()};
}

Simulation::Checkpoint Simulation::checkpoint() {
    return {
        spec_, now_, applied_, step_, start_, start_statistics_, conserves_, coefficient_, solver_->save()};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    RunSpec spec = checkpoint.spec, now = checkpoint.now;
    if (same_solver(now_, now)) {
        solver_->restore(*checkpoint.state);
        solver_->set_params({checkpoint.coefficient, now.boundary});
    } else {
        auto solver = make_solver(solver_setup(now));
        solver->restore(*checkpoint.state);
        solver_ = std::move(solver);
        timings_ = Timings();
    }
    // From here on nothing throws.
    spec_ = std::move(spec);
    now_ = std::move(now);
    applied_ = checkpoint.applied;
    step_ = checkpoint.step;
    start_ = checkpoint.start;
    start_statistics_ = checkpoint.start_statistics;
    conserves_ = checkpoint.conserves;
    coefficient_ = checkpoint.coefficient;
}

bool Simulation::conserves_total() const {
    return conserves_ && row_of(now_.boundary).conserves_total;
}

void Simulation::apply(const Command& command) {
    std::visit([this](const auto& c) { run(c); }, command);
}

void Simulation::run(const Advance& advance) {
    if (advance.steps < 0) throw InputError(fmt::format("cannot advance by {} steps", advance.steps));
    const long long end = step_ + advance.steps;
    while (step_ < end) {
        const bool edit_ahead = applied_ < spec_.edits.size() && spec_.edits[applied_].step < end;
        const long long steps = (edit_ahead ? spec_.edits[applied_].step : end) - step_;
        // Only now: what a parameter was in between, while the run stood still, is nothing that was stepped.
        take_parameters();
        solver_->advance(steps);
        if (steps > 0) conserves_ = conserves_total();
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
        RunSpec spec = changed(spec_, change.setting, change.value);
        if (kind != SettingKind::view)
            put_in_force({step_, change.setting, change.value});
        else
            now_ = changed(now_, change.setting, change.value);
        if (kind == SettingKind::device) {
            spec.backend = now_.backend;
            spec.method = now_.method;
        }
        spec_ = std::move(spec);
        return;
    }
    do_edit({step_, change.setting, change.value});
}

void Simulation::run(const Paint& paint) {
    do_edit({step_, std::string(kPaint), to_string(paint.piece)});
}

void Simulation::do_edit(Edit edit) {
    put_in_force(edit);
    if (record(edit, applied_)) ++applied_;
}

// Among the spec's edits; false where it took the place of the one before of the same parameter at the same
// step.
bool Simulation::record(const Edit& edit, std::size_t place) {
    std::vector<Edit>& edits = spec_.edits.own();
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
    spec_ = now_;
    applied_ = 0;
    solver_->load(*start_);
    timings_ = Timings();
    step_ = 0;
    conserves_ = true;
}

void Simulation::schedule(const Edit& edit) {
    if (edit.step < step_) throw std::logic_error("an edit of the past");
    if (edit.step == step_) {
        do_edit(edit);
        return;
    }
    const auto after = std::ranges::upper_bound(spec_.edits, edit.step, {}, &Edit::step);
    record(edit, std::size_t(after - spec_.edits.begin()));
}

void Simulation::apply_due_edits() {
    while (applied_ < spec_.edits.size() && spec_.edits[applied_].step <= step_) {
        put_in_force(spec_.edits[applied_]);
        ++applied_;
    }
}

void Simulation::put_in_force(const Edit& edit) {
    if (edit.setting == kPaint) {
        const BrushPiece piece = parse_piece(edit.value);
        take_parameters();  // which say how large a value may be
        check_magnitude(now_, piece, *solver_);
        solver_->paint(piece);
        conserves_ = false;
        return;
    }
    RunSpec next = changed(now_, edit.setting, edit.value);
    if (kind_of(edit.setting) != SettingKind::parameter) {
        carry_over(next);
        return;
    }
    check_magnitude(next, *solver_);
    // The boundary shows at once, in the Laplacian.
    solver_->set_params({coefficient_, next.boundary});
    now_ = std::move(next);
}

void Simulation::take_parameters() {
    solver_->set_params(now_.params());
    coefficient_ = now_.params().coefficient;
}

void Simulation::carry_over(const RunSpec& asked) {
    const Machine machine = query_machine();
    const RunSpec next = resolve(asked, machine);
    check_solver_memory(next, machine);
    Field field = fitted(solver_->field(), next);
    auto solver = make_solver(solver_setup(next));
    check_magnitude(next, *solver_, *solver);
    solver->load(field, step_);
    if (Size{start_->nx(), start_->ny()} != *next.size || start_->dtype() != next.dtype) {
        start_ = std::make_shared<Field>(fitted(start_->clone(), next));
        start_statistics_ = statistics_of(*start_);
    }
    solver_ = std::move(solver);
    coefficient_ = next.params().coefficient;
    timings_ = Timings();
    conserves_ = conserves_ && next.size == now_.size;
    now_ = next;
}

}  // namespace stencil
