// States of a run on its way, so that it can be gone back through.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "sim/run/simulation.h"

namespace stencil {

using KeptState = std::shared_ptr<const Simulation::Checkpoint>;

/// Of one run, in the order of their steps, where the solver keeps its own. The rarer the longer ago: where
/// they would be too many or take too much memory, the one goes whose neighbours are nearest to each other
/// for their distance from the newest. So to go back by some steps takes at most a small share of them anew.
class Timeline {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMost = 128;

    /// Keeping the states so far took no more than some percent of the time.
    bool due() const { return Clock::now() >= next_; }

    /// The present state, which is not kept yet; `pinned`: for good. Throws CudaError, std::bad_alloc.
    KeptState keep(Simulation& simulation, double budget_bytes, bool pinned = false);
    /// One that was kept before, of the same run.
    void put(KeptState state, bool pinned);

    /// The newest at this step or before it; null where there is none.
    KeptState before(long long step) const;
    bool has(const KeptState& state) const;
    void unpin(const KeptState& state);

    /// From this step on the run goes another way.
    void cut(long long step);
    void clear() { kept_.clear(); }

    /// Those that are still kept of some that were; the others are forgotten.
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> remember() const;
    void recall(const std::vector<std::weak_ptr<const Simulation::Checkpoint>>& states);

    std::vector<long long> steps() const;
    std::size_t bytes() const;

  private:
    struct Entry {
        KeptState state;
        bool pinned = false;
        long long step() const { return state->step; }
    };
    void thin_out(double budget_bytes);

    std::vector<Entry> kept_;
    Clock::time_point next_{};
};

/// Bytes of what is kept, on the device of the solver.
std::size_t bytes_of(const Simulation::Checkpoint& checkpoint);

}  // namespace stencil
