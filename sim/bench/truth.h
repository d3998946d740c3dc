// The float64 field that a timed field is compared with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/bench/ladder_spec.h"
#include "sim/run/resolve.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// What measuring one method of a ladder on a field of this size takes, its truth included.
MemoryNeeds ladder_needs(const LadderSpec& spec, const Method& method, Size size);

/// How to find out what a field ought to be after a number of steps: always by another method than the one
/// that is judged, unless that one works in float32. The reference itself where it takes no more than a
/// second or so; else a jump on the device; else the fastest stepping method there.
const Method& truth_method(const LadderSpec& spec, const Method& judged, Size size, long long steps);

/// How far a method in float64 is from the reference, relative 2-norm: on a small field under the spec's
/// boundary and coefficient.
double distance_from_reference(const LadderSpec& spec, const Method& method);

/// The exact field, on its way from the start to a step.
class Truth {
  public:
    Truth(const LadderSpec& spec, const Method& method, const State& start);

    const Method& method() const { return method_; }
    long long step() const { return step_; }

    /// A piece of the way to a step that lies ahead, about 0.1 s of it.
    void work(long long target);

    /// || field of the solver - this field || / || this field ||, in float64; not finite where a cell is not.
    double error_of(Solver& judged);

  private:
    const Method& method_;
    std::unique_ptr<Solver> solver_;
    long long step_ = 0;
    double seconds_per_step_ = 0;
};

}  // namespace stencil
