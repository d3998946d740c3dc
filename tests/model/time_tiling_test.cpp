#include "kernels/equation/rows/time_tiling.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "tests/support/catch.h"

using stencil::ThreadPool;
using stencil::equation::TimeTiling;

namespace {

// The rows that a part writes, with their neighbours.
using Touched = std::set<int>;

void check_apart(const std::deque<Touched>& parts, std::size_t begin, std::size_t end) {
    Touched all;
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        all.insert(parts[i].begin(), parts[i].end());
        sum += parts[i].size();
    }
    CHECK(all.size() == sum);
}

}  // namespace

TEST_CASE("Every row of every level is made once, of rows that are as far, and no two threads meet") {
    const bool periodic = GENERATE(false, true);
    const int threads = GENERATE(1, 2, 3, 7), rows = GENERATE(1, 2, 3, 4, 5, 8, 13, 28, 29, 100);
    ThreadPool pool(threads);
    const TimeTiling tiling(rows, 10, periodic, threads, 1);
    const int most = std::min(tiling.most_levels(), 9);
    for (int levels = 1; levels <= most; ++levels) {
        INFO(rows << " rows, periodic " << periodic << ", threads " << threads << ", levels " << levels);
        std::vector<int> done(std::size_t(rows), 0);
        std::deque<Touched> parts;
        std::mutex making;
        std::atomic<int> wrong{0};
        tiling.run(pool, levels, [&] {
            const std::lock_guard lock(making);
            Touched& touched = parts.emplace_back();
            const auto run = [&touched, &wrong, &done, rows, periodic](int level, int y) {
                wrong += done[std::size_t(y)] != level;
                for (const int beside : {y - 1, y + 1}) {
                    if (!periodic && (beside < 0 || beside >= rows)) continue;
                    const int there = (beside + rows) % rows;
                    touched.insert(there);
                    // A row may be one level ahead: it then overwrites nothing that is still read here.
                    const int further = done[std::size_t(there)] - level;
                    wrong += rows > 1 && further != 0 && further != 1;
                }
                touched.insert(y);
                ++done[std::size_t(y)];
            };
            return [run](int level, int y, int y_end) {
                for (; y < y_end; ++y) run(level, y);
            };
        });
        CHECK(wrong == 0);
        CHECK(done == std::vector<int>(std::size_t(rows), levels));
        const auto bands = std::size_t(std::clamp(rows / 4, 1, threads));
        check_apart(parts, 0, bands);
        check_apart(parts, bands, parts.size());
    }
}
