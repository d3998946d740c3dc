// The float64 reference solution that timed fields are compared with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/bench/ladder_spec.h"
#include "sim/run/resolve.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Returns the memory for measuring one method at this size, with its reference solution.
MemoryNeeds ladder_needs(const LadderSpec& spec, const Method& method, Size size);

/// Chooses a method for the reference solution, different from the judged one unless that runs in float32:
/// `reference` if it takes about a second at most, else exact n-step propagation on the device, else the
/// fastest stepping method there.
const Method& reference_method(const LadderSpec& spec, const Method& judged, Size size, long long steps);

/// Returns the relative 2-norm of the difference between a method in float64 and `reference`, on a small
/// field with the spec's boundary and coefficient.
double distance_from_reference(const LadderSpec& spec, const Method& method);

/// A reference solution in progress.
class ReferenceSolution {
  public:
    ReferenceSolution(const LadderSpec& spec, const Method& method, const State& start);

    const Method& method() const { return method_; }
    long long step() const { return step_; }

    /// Advances for about 0.1 s towards a later step.
    void work(long long target);

    /// Returns ||solver's field - this field|| / ||this field|| in float64; not finite if a cell is not.
    double error_of(Solver& judged);

  private:
    const Method& method_;
    std::unique_ptr<Solver> solver_;
    long long step_ = 0;
    double seconds_per_step_ = 0;
};

}  // namespace stencil
