// Several levels of a computation in one pass over a field's rows. A row of a level needs that row and those
// beside it of the level before, and may overwrite what older levels left in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

/// The field is cut into bands, one a thread. Each goes through all levels, one row less on the side of a cut
/// from level to level; then the rows around the cuts catch up (split tiling, Krishnamoorthy et al. 2007).
/// Within these parts rows of all levels take turns, so that they stay in the cache (time skewing, Wonnacott
/// 2000). Parts that run at the same time touch no row together, those beside their own included.
class TimeTiling {
  public:
    /// Of `rows` rows, at least one, which are a ring where `periodic`. A thread that is woken takes at least
    /// `least_cells` of `columns` cells a row.
    TimeTiling(int rows, int columns, bool periodic, int threads, int least_cells)
        : rows_(rows),
          columns_(columns),
          periodic_(periodic),
          least_cells_(least_cells),
          bands_(std::clamp(rows / std::max(kLeastBand, least_cells / columns), 1, threads)) {}

    /// Rows that a level gets at a time, which read the same in part.
    static constexpr int kRowsAtATime = 4;

    bool alone() const { return bands_ == 1; }

    /// That a pass can have.
    int most_levels() const {
        if (bands_ == 1 && !periodic_) return kAnyLevels;
        return std::max(1, (rows_ / bands_ - 2) / 2);
    }

    /// Runs a task for each part: make_row() gives what runs (level, y, y_end) for rows [y, y_end), all of
    /// them.
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
        const int outer = ring ? 0 : 1;  // the first band's beginning is a cut of a ring alone
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

    /// Rows [begin, end) of the first level, and how these change from one level to the next.
    struct Part {
        int begin, end, begin_change, end_change;
    };

    template <class Row>
    void sweep(const Part& part, int levels, Row& row) const {
        const int last = part.end + (levels - 1) * (1 + part.end_change);
        for (int place = part.begin; place < last; place += kRowsAtATime)
            for (int level = 0; level < levels; ++level)
                run_rows(std::max(place - level, part.begin + level * part.begin_change),
                         std::min(place - level + kRowsAtATime, part.end + level * part.end_change),
                         [&](int y, int y_end) { row(level, y, y_end); });
    }

    // Where the rows are a ring the next one after the last is the first.
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
