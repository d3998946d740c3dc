// A run beside the session's, which follows it from its start: in float64, to show the rounding error of the
// run, or with one parameter apart.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/run/simulation.h"
#include "sim/session/beside.h"

namespace stencil {

/// Returns whether the events change size or precision.
bool is_reshaped(const EventList& events);

/// Makes the initial state of a spec; may throw.
using StartMaker = std::function<std::shared_ptr<const RowSource>(RunSpec&)>;

/// Returns the initial state of the simulation's spec, before any edit.
std::shared_ptr<const RowSource> origin_of(const Simulation& simulation, const StartMaker& make);

class Reference {
  public:
    bool missing() const { return !run_ && !refused_; }
    bool behind(long long step) const { return run_ && run_->step() < step; }
    Simulation* run() const { return run_.get(); }

    /// What the run is, from when it is made again: run B; null: the reference in float64.
    void be(const std::optional<RunB>& run_b);
    /// Run B takes another value at the present step.
    void set(const RunB& run_b);

    /// Uses the fastest method of the device, or the run's own if that propagates n steps at once. Throws if
    /// it cannot be made, and is not tried again.
    void make(const Simulation& of, const StartMaker& make_start);
    /// Makes some of the steps by which the reference is behind the run.
    void catch_up(const Simulation& of);
    /// Repeats an event of the run.
    void follow(const Event& event);

    /// Drops the run; no reference is made until release().
    void refuse() {
        run_.reset();
        refused_ = true;
    }
    /// Drops the run, which restarts when it is needed.
    void forget() { run_.reset(); }
    /// Call it when the run is no longer shown.
    void release() {
        run_.reset();
        refused_ = false;
    }

  private:
    RunSpec float64_run(const Simulation& of) const;
    RunSpec other_run(const Simulation& of) const;
    bool leaves_out(const Event& event) const;

    std::unique_ptr<Simulation> run_;
    std::optional<RunB> run_b_;
    bool refused_ = false;
};

}  // namespace stencil
