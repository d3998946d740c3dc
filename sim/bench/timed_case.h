// Times one method on one field.
#pragma once

#include <memory>
#include <vector>

#include "sim/run/solvers/solver.h"

namespace stencil {

struct TimingRule {
    long long steps = 0;  ///< per repeat; 0: as many as take `seconds`, at most `most_steps`
    int repeats = 7;
    double seconds = 0.2;
    long long most_steps = 10000;  ///< exceeded if a pass of the method is longer
};

/// Works in pieces of at most one repeat. Loads the field once; total_steps() counts all steps: warm-up,
/// calibration and the timed repeats.
class TimedCase {
  public:
    TimedCase(const SolverSetup& setup, const State& start, const TimingRule& rule);

    void work();
    bool done() const { return int(seconds_.size()) == rule_.repeats; }

    int repeats_done() const { return int(seconds_.size()); }
    long long steps() const { return steps_; }  ///< per repeat
    long long total_steps() const { return total_steps_; }
    const std::vector<double>& seconds() const { return seconds_; }  ///< of each repeat
    Solver& solver() { return *solver_; }

  private:
    double advance(long long steps);
    void warm_up();
    long long whole_passes(double steps) const;

    const Method& method_;
    TimingRule rule_;
    std::unique_ptr<Solver> solver_;
    long long steps_ = 0;  ///< 0: not calibrated yet
    long long batch_ = 0;  ///< steps per warm-up call
    int warm_calls_ = 0;
    double warm_seconds_ = 0;
    long long total_steps_ = 0;
    std::vector<double> seconds_;
};

}  // namespace stencil
