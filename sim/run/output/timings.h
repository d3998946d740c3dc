// What stepping took, and how that compares with the machine.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/field/field.h"
#include "sim/text/json.h"

namespace stencil {

/// A ring of the newest measurements of one operation that is done in batches.
class Timings {
  public:
    explicit Timings(std::size_t capacity = 4096) : capacity_(capacity) {}

    /// All that there is to keep of them, with the standard capacity.
    struct Sums {
        std::vector<double> seconds_per_step;  ///< the ring
        std::size_t next = 0;                  ///< its oldest entry, once it is full
        bool warm = false;                     ///< the first batch ever was left out
        double total_seconds = 0;
        long long total_steps = 0;
        long long total_batches = 0;
    };
    explicit Timings(Sums sums) : Timings() { sums_ = std::move(sums); }
    const Sums& sums() const { return sums_; }

    /// A batch of `steps` that took `seconds` together.
    void add(double seconds, long long steps);

    double total_seconds() const { return sums_.total_seconds; }
    long long total_steps() const { return sums_.total_steps; }
    long long total_batches() const { return sums_.total_batches; }

    /// Seconds per step over the batches in the ring, the first one ever left out as the warm-up unless it is
    /// the only one. 0 where there is none.
    struct Spread {
        double least = 0, median = 0, most = 0;
        std::size_t batches = 0;
    };
    Spread spread() const;
    /// The median of a few of the newest: quick to ask for after every batch. 0 where there is none.
    double recent() const;

  private:
    std::size_t capacity_;
    Sums sums_;
};

/// Speed of one method on one field. GCells/s = cell updates / second / 1e9; effective GB/s = 2 values (one
/// read, one written) of each component per update.
struct Speed {
    double us_per_step = 0;
    double gcells_per_s = 0;
    double effective_gb_per_s = 0;
};

Speed speed_of(double seconds, long long steps, double cells, DType dtype, std::size_t components = 1);

}  // namespace stencil
