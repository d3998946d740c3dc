// Timing one method on one field.
#pragma once

#include <memory>
#include <vector>

#include "sim/run/solvers/solver.h"

namespace stencil {

struct TrialRule {
    long long steps = 0;  ///< of each repeat; 0: as many as take `seconds`, at most `most_steps`
    int repeats = 7;
    double seconds = 0.2;
    long long most_steps = 10000;  ///< a whole pass of the method is made all the same
};

/// In pieces of work of one repeat or less. The field is loaded once, and every step counts as done:
/// warm-up, finding out how many steps take how long, and the timed repeats.
class Trial {
  public:
    Trial(const SolverSetup& setup, const State& start, const TrialRule& rule);

    void work();
    bool done() const { return int(seconds_.size()) == rule_.repeats; }

    int repeats_done() const { return int(seconds_.size()); }
    long long steps() const { return steps_; }  ///< of each repeat
    long long total_steps() const { return total_steps_; }
    const std::vector<double>& seconds() const { return seconds_; }  ///< of each repeat
    Solver& solver() { return *solver_; }

  private:
    double advance(long long steps);
    void warm_up();
    long long whole_passes(double steps) const;

    const Method& method_;
    TrialRule rule_;
    std::unique_ptr<Solver> solver_;
    long long steps_ = 0;  ///< 0: not known yet
    long long batch_ = 0;  ///< of the warm-up
    int warm_calls_ = 0;
    double warm_seconds_ = 0;
    long long total_steps_ = 0;
    std::vector<double> seconds_;
};

}  // namespace stencil
