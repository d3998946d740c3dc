// Temporal blocking over rows: several levels of a computation in one pass. A row of a level reads that row
// and the adjacent ones of the previous level, and may overwrite what older levels left in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

/// The field is divided into bands, one per thread. Each makes all levels, with one row less per level at a
/// cut; then the rows around the cuts are completed (split tiling, Krishnamoorthy et al. 2007). Within a
/// region levels alternate row by row, so that rows stay in the cache (time skewing, Wonnacott 2000).
/// Concurrent parts share no row, including those they read.
class TimeTiling {
  public:
    /// `rows` >= 1 form a ring if `periodic`. A thread is woken for at least `least_cells` cells, in rows of
    /// `columns`.
    TimeTiling(int rows, int columns, bool periodic, int threads, int least_cells)
        : rows_(rows),
          columns_(columns),
          periodic_(periodic),
          least_cells_(least_cells),
          bands_(std::clamp(rows / std::max(kLeastBand, least_cells / columns), 1, threads)) {}

    /// Rows that a level computes at a time, because adjacent rows share reads.
    static constexpr int kRowsAtATime = 4;

    bool alone() const { return bands_ == 1; }

    /// The maximum number of levels per pass.
    int most_levels() const {
        if (bands_ == 1 && !periodic_) return kAnyLevels;
        return std::max(1, (rows_ / bands_ - 2) / 2);
    }

    /// Runs all parts: make_row() returns a function of (level, y, y_end) that computes rows [y, y_end).
    template <class MakeRow>
    void run(ThreadPool& threads, int levels, const MakeRow& make_row) const {
        const bool ring = periodic_ && (bands_ > 1 || levels > 1);
        const auto band_begin = [&](std::int64_t i) { return int(i * rows_ / bands_); };
        threads.for_ranges(bands_, [&](std::int64_t first, std::int64_t last) {
            auto row = make_row();
            for (std::int64_t i = first; i < last; ++i) {
                const int before = ring || i > 0, after = ring || i + 1 < bands_;
                sweep({band_begin(i) + before, band_begin(i + 1) - after, before, -after}, levels, row);
            }
        });
        const int outer = ring ? 0 : 1;  // only a ring has a cut before the first band
        const std::int64_t cells = std::int64_t(levels + 1) * levels * columns_;
        threads.for_ranges(
            bands_ - outer,
            [&](std::int64_t first, std::int64_t last) {
                auto row = make_row();
                for (std::int64_t i = first + outer; i < last + outer; ++i)
                    sweep({band_begin(i) - 1, band_begin(i) + 1, -1, 1}, levels, row);
            },
            ceil_div(least_cells_, cells));
    }

  private:
    static constexpr int kLeastBand = 4, kAnyLevels = 1 << 20;

    /// Rows [begin, end) of the first level, and the change of both ends from one level to the next.
    struct Sweep {
        int begin, end, begin_change, end_change;
    };

    template <class Row>
    void sweep(const Sweep& region, int levels, Row& row) const {
        const int last = region.end + (levels - 1) * (1 + region.end_change);
        for (int front = region.begin; front < last; front += kRowsAtATime)
            for (int level = 0; level < levels; ++level)
                run_rows(std::max(front - level, region.begin + level * region.begin_change),
                         std::min(front - level + kRowsAtATime, region.end + level * region.end_change),
                         [&](int y, int y_end) { row(level, y, y_end); });
    }

    // In a ring the first row follows the last one.
    template <class Run>
    void run_rows(int begin, int end, const Run& run) const {
        while (begin < end) {
            const int y = periodic_ ? (begin + rows_) % rows_ : begin;
            const int count = std::min(end - begin, rows_ - y);
            run(y, y + count);
            begin += count;
        }
    }

    int rows_, columns_;
    bool periodic_;
    int least_cells_, bands_;
};

}  // namespace stencil::equation
