#include "sim/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/files/image.h"
#include "sim/run/resolve.h"
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
    spec.edits.clear();
    return spec;
}

}  // namespace

Simulation::Simulation(const RunSpec& spec, Field start) : spec_(spec), now_(without_edits(spec)) {
    if (Size{start.nx(), start.ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    start_ = std::make_shared<Field>(fitted(std::move(start), spec));
    start = Field();  // its float64 original is not needed beside the solver
    start_statistics_ = statistics_of(*start_);
    solver_ = make_solver(solver_setup(now_));
    solver_->load(*start_);
    check_start(spec_, *solver_);
    apply_due_edits();
}

Simulation::Checkpoint Simulation::checkpoint() {
    return {spec_, now_, applied_, step_, start_, start_statistics_, solver_->save()};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    if (!same_solver(now_, checkpoint.now)) {
        solver_ = make_solver(solver_setup(checkpoint.now));
        timings_ = Timings();
    }
    solver_->set_params(checkpoint.now.params());
    solver_->restore(*checkpoint.state);
    spec_ = checkpoint.spec;
    now_ = checkpoint.now;
    applied_ = checkpoint.applied;
    step_ = checkpoint.step;
    start_ = checkpoint.start;
    start_statistics_ = checkpoint.start_statistics;
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
        solver_->advance(steps);
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
    const Edit edit{step_, change.setting, change.value};
    put_in_force(edit);
    spec_.edits.insert(spec_.edits.begin() + std::ptrdiff_t(applied_++), edit);
}

void Simulation::run(const Paint& paint) {
    const Edit edit{step_, std::string(kPaint), to_string(paint.piece)};
    put_in_force(edit);
    spec_.edits.insert(spec_.edits.begin() + std::ptrdiff_t(applied_++), edit);
}

void Simulation::run(const Reset&) {
    spec_ = now_;
    applied_ = 0;
    solver_->load(*start_);
    timings_ = Timings();
    step_ = 0;
}

void Simulation::schedule(const Edit& edit) {
    if (edit.step < step_) throw std::logic_error("an edit of the past");
    const auto after = std::ranges::upper_bound(spec_.edits, edit.step, {}, &Edit::step);
    spec_.edits.insert(after, edit);
    apply_due_edits();
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
        check_magnitude(now_, piece, *solver_);
        solver_->paint(piece);
        return;
    }
    RunSpec next = changed(now_, edit.setting, edit.value);
    if (kind_of(edit.setting) != SettingKind::parameter) {
        carry_over(next);
        return;
    }
    check_magnitude(next, *solver_);
    solver_->set_params(next.params());
    now_ = std::move(next);
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
    timings_ = Timings();
    now_ = next;
}

}  // namespace stencil
