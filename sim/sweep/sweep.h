// The runs of a sweep in progress. Command, window and Python stand on it.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/view/statistics/statistics.h"
#include "sim/machine/machine.h"
#include "sim/run/advance.h"
#include "sim/run/simulation.h"
#include "sim/sweep/sweep_spec.h"

namespace stencil {

/// In place of a number that a run does not have.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

class GpuBatches;

/// What is known of a run of a sweep.
struct SweptRun {
    /// "waiting", "running", "done", "not finite at step 120: u", or why it could not be made or stepped:
    /// "unstable: ...".
    std::string status = "waiting";
    std::string ended_by;  ///< "steps", "time", "until", "not finite"; empty: it has not ended
    long long steps = 0;
    double time = 0, dt = 0;
    double seconds = 0;                  ///< of its steps
    std::string field_hash;              ///< as of the run alone
    std::vector<Statistics> statistics;  ///< per component
    double wavelength = 0;  ///< of the strongest waves of the shown field; kNoNumber: there are none
    double growth =
        0;  ///< rate of the fastest growing wave about the state at the end; kNoNumber: none grows
    std::vector<double> observed;  ///< per SweepSpec::observe

    bool ended() const { return status != "waiting" && status != "running"; }
    bool is_done() const { return status == "done"; }
};

class Sweep {
  public:
    /// At most `at_once` runs are in progress at a time; 0: as many as keep the machine busy. Throws
    /// InputError for a sweep that cannot be.
    Sweep(SweepSpec spec, const Machine& machine, std::size_t at_once = 0);
    ~Sweep();

    const SweepSpec& spec() const { return spec_; }
    std::size_t count() const { return runs_.size(); }
    /// The base run as the machine decided it: size, backend, method, precision.
    const RunSpec& resolved() const { return resolved_; }
    const SweptRun& run(std::size_t index) const { return runs_[index]; }
    std::size_t ended() const { return ended_; }
    bool is_done() const { return ended_ == runs_.size(); }
    /// What makes the steps of many runs together, in words; empty: nothing does.
    std::string way() const;
    /// Null for a run that is not in progress, or that has ended and was not kept.
    Simulation* simulation(std::size_t index) const;

    /// Takes over what an earlier sweep found of a run, which is then not made.
    void take(std::size_t index, SweptRun known);
    /// Takes all runs that have not ended from this sweep, which then begins those that it is given. Several
    /// processes share them so.
    std::vector<std::size_t> take_waiting();
    void give(std::span<const std::size_t> runs);
    std::size_t in_progress() const;
    /// How many runs it could begin.
    std::size_t room() const;

    /// Called once a run has ended and is known, on one of several threads, so for several runs at a time.
    std::function<void(std::size_t index, Simulation&)> on_measured;
    /// Called behind that on the caller's thread of advance(), with the runs that have ended or could not
    /// begin.
    std::function<void(std::span<const std::size_t> runs)> on_end;
    /// Keeps simulations of ended runs, as a window shows them.
    bool keeps = false;

    /// Begins runs as there is room, makes a slice of steps in each, and ends those that are done.
    void advance(const SliceLimits& limits = kLongSlices);
    /// Brings all runs to one step: begins at most `begins` more, and makes at most `most` steps in each run
    /// that is behind.
    void approach(long long step, long long most, std::size_t begins);
    /// What SweptRun has of the present state of a run in progress.
    SweptRun look(std::size_t index);

  private:
    struct Live;

    void begin_more();
    void end(std::span<const std::size_t> runs);
    void step_each(const std::function<long long(const Simulation&)>& most);
    SweptRun measured(Live& live) const;

    SweepSpec spec_;
    RunSpec resolved_;
    Machine machine_;
    std::size_t at_once_;
    std::size_t alike_ = 1;  ///< runs with the same text
    std::unique_ptr<ThreadPool> threads_;
    std::unique_ptr<GpuBatches> gpu_;  ///< steps runs that are kept on the CPU; null: none
    double cells_per_second_ = 0;      ///< that a GPU makes, about
    std::vector<SweptRun> runs_;
    std::vector<std::unique_ptr<Live>> live_;
    std::deque<std::size_t> waiting_;
    std::size_t ended_ = 0;
};

}  // namespace stencil
