#include <algorithm>
#include <random>

#include "kernels/methods/streaming/streaming_plan.h"
#include "tests/support/catch.h"
#include "tests/support/seed.h"

using namespace stencil;

namespace {

struct Span {
    int begin, end;
};

// Returns the columns of strip k that are still valid after the pass: each step invalidates one at every cut.
Span right_columns(const StreamStrips& strips, int k) {
    Span held{strips.origin(k), strips.origin(k) + strips.width};
    if (strips.wraps || held.begin > 0) held.begin += strips.levels;
    if (strips.wraps || held.end < strips.nx) held.end -= strips.levels;
    return held;
}

}  // namespace

TEST_CASE("Strips write each column once, and only where they have it right") {
    std::mt19937_64 dice{stencil_test::next_seed()};
    std::uniform_int_distribution<int> sizes(1, 20000);
    for (int i = 0; i < 2000; ++i) {
        const int width = i % 2 ? 576 : 288;
        const int levels = std::uniform_int_distribution<int>(1, 16)(dice);
        const bool wraps = i % 3 == 0;
        const int nx = i % 5 == 0 ? width + i / 5 % 40 - 20 : sizes(dice);
        const StreamStrips strips = strips_over(nx, width, levels, wraps);
        INFO(nx << " columns, " << width << " wide, " << levels << " levels, wraps " << wraps);
        REQUIRE(strips.begin(0) == 0);
        REQUIRE(strips.begin(strips.strips) == nx);
        for (int k = 0; k < strips.strips; ++k) {
            INFO("strip " << k << " of " << strips.strips);
            const Span right = right_columns(strips, k);
            REQUIRE(strips.begin(k) <= strips.begin(k + 1));
            REQUIRE(strips.begin(k) >= right.begin);
            REQUIRE(strips.begin(k + 1) <= right.end);
            REQUIRE(strips.origin(k) % kStripAlignment == 0);
            REQUIRE(strips.begin(k) % kStripAlignment == 0);
            if (!wraps && nx >= width) REQUIRE(strips.origin(k) + width < nx + kStripAlignment);
        }
    }
}

TEST_CASE("There are no more strips than the columns need") {
    // 1 + (8192 - 576) / (576 - 2 * 16), which divides exactly.
    REQUIRE(strips_over(8192, 576, 16, false).strips == 15);
    REQUIRE(strips_over(576, 576, 16, false).strips == 1);
    REQUIRE(strips_over(577, 576, 16, false).strips == 2);
}

TEST_CASE("Segments have all rows once") {
    std::mt19937_64 dice{stencil_test::next_seed()};
    for (int i = 0; i < 500; ++i) {
        const int ny = std::uniform_int_distribution<int>(1, i % 2 ? 30000 : 300)(dice);
        const int segments = std::uniform_int_distribution<int>(1, std::max(1, ny / 8))(dice);
        const bool wraps = i % 3 == 0;
        INFO(ny << " rows, " << segments << " segments, wraps " << wraps);
        REQUIRE(segment_begin(ny, segments, 0, wraps) == 0);
        REQUIRE(segment_begin(ny, segments, segments, wraps) == ny);
        for (int k = 0; k < segments; ++k)
            REQUIRE(segment_begin(ny, segments, k, wraps) <= segment_begin(ny, segments, k + 1, wraps));
    }
}
