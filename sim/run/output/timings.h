// Times of the steps, and rates derived from them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// Totals and a ring buffer of the newest measurements of an operation done in batches.
class Timings {
  public:
    explicit Timings(std::size_t capacity = 4096) : capacity_(capacity) {}

    /// The state for checkpoints, with the default capacity.
    struct Sums {
        std::vector<double> seconds_per_step;  ///< ring buffer
        std::size_t next = 0;                  ///< oldest entry once the ring is full
        bool warm = false;                     ///< the first batch was dropped as warm-up
        double total_seconds = 0;
        long long total_steps = 0;
        long long total_batches = 0;
    };
    explicit Timings(Sums sums) : Timings() { sums_ = std::move(sums); }
    const Sums& sums() const { return sums_; }

    /// Adds a batch of `steps` that took `seconds` in total.
    void add(double seconds, long long steps);

    double total_seconds() const { return sums_.total_seconds; }
    long long total_steps() const { return sums_.total_steps; }
    long long total_batches() const { return sums_.total_batches; }

    /// Seconds per step over the ring. The first batch ever is dropped as warm-up unless it is the only one.
    /// 0 without batches.
    struct Spread {
        double least = 0, median = 0, most = 0;
        std::size_t batches = 0;
    };
    Spread spread() const;
    /// Median of the few newest batches, cheap enough to call after each. 0 without batches.
    double recent() const;

  private:
    std::size_t capacity_;
    Sums sums_;
};

/// Speed of a method. GCells/s = cell updates per second / 1e9; effective GB/s counts one read and one write
/// per component and update.
struct Speed {
    double us_per_step = 0;
    double gcells_per_s = 0;
    double effective_gb_per_s = 0;
};

Speed speed_of(double seconds, long long steps, double cells, DType dtype, std::size_t components = 1);

}  // namespace stencil
