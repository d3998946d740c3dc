// What a session knows of speeds: the machine's limits, what the methods reached, and the ladder, which is
// measured while the run stands still.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/bench/ladder.h"
#include "sim/bench/speed_chart.h"
#include "sim/run/run_spec.h"

namespace stencil {

class Speeds {
  public:
    explicit Speeds(bool measure_limits) : limits_wanted_(measure_limits) {}

    /// Of the device in the present precision; 0 until they are measured.
    const LadderLimits& limits() const { return limits_; }
    /// A piece of them a frame while the run goes on, so that nothing waits for it; else one after the other.
    bool limits_are_due(std::uint64_t frame, bool settled) const;
    void measure_limits(const RunSpec& now, std::uint64_t frame);
    /// Of another device (its copies, too) or another precision.
    void forget_limits(bool of_copies);

    /// The newest speed of the present method, in place of the one before.
    void note(const RunSpec& now, const Timings& recent);
    /// In the present precision and on the present device. A ladder's figure counts where there is one.
    std::vector<MethodSpeed> of(const RunSpec& now) const;

    /// Null while none is measured.
    const Ladder* ladder() const { return ladder_.get(); }
    /// `running`: the run goes on after it.
    void begin_ladder(const RunSpec& now, const Machine& machine, bool running);
    void climb_ladder() { ladder_->work(); }
    /// What was measured counts even where it was left unfinished. True where the run goes on.
    bool end_ladder();
    void drop_ladder() { ladder_.reset(); }

  private:
    struct Tried {
        MethodSpeed speed;
        DType dtype;
        bool of_ladder;  ///< rather than of the run
    };
    void keep(const Tried& tried);

    bool limits_wanted_;
    std::unique_ptr<CopyBandwidth> copies_;
    std::unique_ptr<IssueRate> issue_;
    std::uint64_t limits_at_ = 0;  ///< the frame after which the newest piece was done
    LadderLimits limits_;
    std::vector<Tried> tried_;
    std::unique_ptr<Ladder> ladder_;
    bool runs_after_ladder_ = false;
};

}  // namespace stencil
