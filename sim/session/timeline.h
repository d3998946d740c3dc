// Stored states of a run, to go back in it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "sim/run/simulation.h"

namespace stencil {

using KeptState = std::shared_ptr<const Simulation::Checkpoint>;

/// States of one run in the order of steps, in the solver's own memory. When they are too many or too large,
/// the state is dropped whose gap, relative to its age, is smallest, so older states are rarer. Going back
/// thus recomputes only a small share of the steps.
class Timeline {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMost = 128;

    /// Whether keeping states has taken little enough time.
    bool due() const { return Clock::now() >= next_; }

    /// Stores the present state; `pinned`: permanently. Throws CudaError and std::bad_alloc.
    KeptState keep(Simulation& simulation, double budget_bytes, bool pinned = false);
    /// Adds a state of the same run that was stored before.
    void put(KeptState state, bool pinned);

    /// Returns the newest state at or before this step, or null.
    KeptState before(long long step) const;
    bool has(const KeptState& state) const;
    void unpin(const KeptState& state);

    /// Drops the states from this step on, because the run diverges there.
    void cut(long long step);
    void clear() { kept_.clear(); }

    /// remember() lists the states; recall() restores those of a list that still exist.
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

/// Returns the bytes of a checkpoint on the solver's device.
std::size_t bytes_of(const Simulation::Checkpoint& checkpoint);

}  // namespace stencil
