#include "sim/simulation.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/error.h"
#include "sim/resolve.h"

namespace stencil {

Simulation::Simulation(const RunSpec& spec, Field start)
    : spec_(spec), start_(start.dtype() == spec.dtype ? std::move(start) : start.to(spec.dtype)) {
    if (Size{start_.nx(), start_.ny()} != *spec.size)
        throw std::logic_error("the field's size is not the spec's");
    start = Field();  // its float64 original is not needed beside the solver
    start_statistics_ = statistics_of(start_);
    check_magnitude(spec_, start_statistics_);
    solver_ = make_solver(solver_setup(spec_));
    solver_->load(start_);
}

void Simulation::apply(const Command& command) {
    std::visit([this](const auto& c) { run(c); }, command);
}

void Simulation::run(const Advance& advance) {
    if (advance.steps < 0) throw InputError(fmt::format("cannot advance by {} steps", advance.steps));
    solver_->advance(advance.steps);
    timings_.add(solver_->wait(), advance.steps);
    step_ += advance.steps;
}

void Simulation::run(const SetCoefficient& change) {
    RunSpec changed = spec_;
    find_setting("coefficient").set(changed, fmt::format("{}", change.coefficient));
    changed.validate();
    check_magnitude(changed, start_statistics_);
    solver_->set_params(changed.params());
    spec_ = changed;
}

void Simulation::run(const SetBoundary& change) {
    spec_.boundary = change.boundary;
    solver_->set_params(spec_.params());
}

void Simulation::run(const Reset&) {
    solver_->load(start_);
    timings_ = Timings();
    step_ = 0;
}

}  // namespace stencil
