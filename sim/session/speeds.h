// Speeds known to a session: the machine's limits, what methods reached, and the benchmark.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/bench/speed_chart.h"
#include "sim/bench/suite.h"
#include "sim/problem/run_spec.h"

namespace stencil {

class Speeds {
  public:
    explicit Speeds(bool measure_limits) : limits_wanted_(measure_limits) {}

    /// Limits of the device in the present precision; 0 until measured.
    const SuiteLimits& limits() const { return limits_; }
    /// Whether to measure the next piece of the limits: one piece per frame during a run, otherwise one after
    /// the other.
    bool limits_are_due(std::uint64_t frame, bool settled) const;
    void measure_limits(const RunSpec& now, std::uint64_t frame);
    /// Drops the limits after a change of precision or, with `of_copies`, of device.
    void forget_limits(bool of_copies);

    /// Replaces the present method's speed by the newest.
    void note(const RunSpec& now, const Timings& recent);
    /// Returns speeds in the present precision on the present device; benchmark results are preferred.
    std::vector<MethodSpeed> of(const RunSpec& now) const;

    /// Null while no benchmark runs.
    Suite* suite() const { return suite_.get(); }
    /// `running`: resume the run afterwards.
    void begin_suite(const RunSpec& now, const Machine& machine, bool running);
    /// Keeps results of an unfinished benchmark, too. Returns true if the run should resume.
    bool end_suite();
    void drop_suite() { suite_.reset(); }

  private:
    struct Tried {
        MethodSpeed speed;
        DType dtype;
        bool of_suite;  ///< from the benchmark, not from the run
    };
    void keep(const Tried& tried);

    bool limits_wanted_;
    LimitsMeasurement measurement_;
    std::uint64_t limits_at_ = 0;  ///< frame after which the newest part was measured
    SuiteLimits limits_;
    std::vector<Tried> tried_;
    std::unique_ptr<Suite> suite_;
    bool runs_after_suite_ = false;
};

}  // namespace stencil
