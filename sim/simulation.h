// A run in progress. The window, the command line and the tests change it only through commands.
#pragma once

#include <memory>
#include <variant>

#include "kernels/statistics.h"
#include "sim/run_spec.h"
#include "sim/solver.h"
#include "sim/timings.h"

namespace stencil {

/// Exactly this many steps; returns when they are done.
struct Advance {
    long long steps = 1;
};

/// From the next step on; the run goes on. The coefficient is checked as RunSpec::validate() does.
struct SetCoefficient {
    double coefficient = 0.2;
};

struct SetBoundary {
    Boundary boundary = Boundary::zero;
};

/// Back to the field at the start, and to step 0.
struct Reset {};

using Command = std::variant<Advance, SetCoefficient, SetBoundary, Reset>;

class Simulation {
  public:
    /// A resolved spec, and its initial field in any precision; the size must be the spec's. Throws
    /// CudaError, std::bad_alloc, and InputError where the field's values exceed what the precision can step.
    Simulation(const RunSpec& spec, Field start);

    /// Throws InputError and changes nothing where a command's value is not allowed.
    void apply(const Command& command);

    const RunSpec& spec() const { return spec_; }
    long long step() const { return step_; }
    const Timings& timings() const { return timings_; }

    /// The field at the start, in the run's precision.
    const Field& start() const { return start_; }
    const Statistics& start_statistics() const { return start_statistics_; }
    /// The field now and its Laplacian.
    Field field() { return solver_->field(); }
    Field laplacian() { return solver_->laplacian(); }

  private:
    void run(const Advance& advance);
    void run(const SetCoefficient& change);
    void run(const SetBoundary& change);
    void run(const Reset&);

    RunSpec spec_;
    Field start_;
    Statistics start_statistics_;
    std::unique_ptr<Solver> solver_;
    Timings timings_;
    long long step_ = 0;
};

}  // namespace stencil
