// How passes over a field are divided.
#include "kernels/methods/cpu/cpu_tiling.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/methods/cpu/lifted_rows.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/streaming_plan.h"
#include "sim/solvers/halo.h"
#include "sim/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

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

struct NoExchange : HaloExchange {
    int depth() const override { return 32; }
    void exchange(std::span<const HaloRows>, CudaStream*) override { ++times; }
    int times = 0;
};

// Returns the steps of each pass for these calls; -n means n steps after the halo was invalidated.
std::vector<long long> passes(const std::vector<long long>& calls, int reach, int margin, int exchanges) {
    NoExchange exchange;
    HaloKeeper keeper(&exchange, nullptr);
    std::vector<long long> made;
    for (const long long steps : calls) {
        if (steps < 0) keeper.spoil();
        keeper.advance(
            std::abs(steps),
            reach,
            margin,
            [&](long long some) { made.push_back(some); },
            [] { return std::array<HaloRows, 1>(); });
    }
    REQUIRE(exchange.times == exchanges);
    return made;
}

}  // namespace

TEST_CASE(
    "The parts of a field cover it, and their halos fit into a block that stays in the first-level cache") {
    constexpr FieldShape kShapes[] = {
        {1, 1}, {1, 5000}, {5000, 1}, {63, 65}, {511, 513}, {2000, 2000}, {8192, 8192}, {100001, 37}};
    for (const FieldShape field : kShapes)
        for (const int threads : {1, 2, 3, 16, 61})
            for (const int lanes : {1, 2, 4, 8, 16})
                for (const std::size_t bytes : {sizeof(float), sizeof(double)}) {
                    INFO(field.nx << "x" << field.ny << " threads " << threads << " lanes " << lanes);
                    const CpuTiling tiling = choose_tiling(field, {threads, lanes, bytes});
                    REQUIRE((tiling.levels >= 1 && tiling.levels <= kCpuSteps));
                    REQUIRE((tiling.bands >= 1 && tiling.bands <= field.ny));
                    REQUIRE(tiling.strips * tiling.strip_width >= field.nx);
                    REQUIRE((tiling.strips - 1) * tiling.strip_width < field.nx);
                    REQUIRE(tiling.columns % kColumnUnit == 0);
                    REQUIRE(tiling.columns * lanes >= tiling.strip_width + 2 * tiling.levels);
                    REQUIRE(std::size_t(tiling.columns * lanes * kBlockRows) * bytes <= 32768);
                }
}

TEST_CASE(
    "The method cpu steps a field of a few columns to the same bits as its rows and columns exchanged") {
    const auto exchanged = [](const Field& field) {
        const Field wide = field.to(DType::float64);
        const auto cells = wide.as<double>().view();
        return Field(array_of(cells.ny, cells.nx, [&](int x, int y) { return cells.at(y, x); }))
            .to(field.dtype());
    };
    const auto stepped = [](const Field& start, Boundary boundary) {
        const auto solver = make_solver(
            {find_method("cpu", Device::cpu), start.nx(), start.ny(), DType::float32, {0.2, boundary}, 2});
        solver->load(start);
        for (const long long steps : {1, 70}) solver->advance(steps);
        return solver->field();
    };
    for (const BoundaryRow& row : kBoundaries)
        for (const int columns : {1, 2, 7, 8}) {
            CAPTURE(row.name, columns);
            const Field start = Field(random_field(columns, 1001)).to(DType::float32);
            CHECK(
                same_bits(exchanged(stepped(start, row.boundary)), stepped(exchanged(start), row.boundary)));
        }
}

TEST_CASE("Strips write each column once, and only where they have it right") {
    Dice dice;
    for (int i = 0; i < 2000; ++i) {
        const int width = i % 2 ? 576 : 288;
        const int levels = dice.integer(1, 16);
        const bool wraps = i % 3 == 0;
        const int nx = i % 5 == 0 ? width + i / 5 % 40 - 20 : dice.integer(1, 20000);
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
    Dice dice;
    for (int i = 0; i < 500; ++i) {
        const int ny = dice.integer(1, i % 2 ? 30000 : 300), segments = dice.integer(1, std::max(1, ny / 8));
        const bool wraps = i % 3 == 0;
        INFO(ny << " rows, " << segments << " segments, wraps " << wraps);
        REQUIRE(segment_begin(ny, segments, 0, wraps) == 0);
        REQUIRE(segment_begin(ny, segments, segments, wraps) == ny);
        for (int k = 0; k < segments; ++k)
            REQUIRE(segment_begin(ny, segments, k, wraps) <= segment_begin(ny, segments, k + 1, wraps));
    }
}

TEST_CASE("A halo is exchanged before it would cut a pass in two and no sooner") {
    using Passes = std::vector<long long>;
    REQUIRE(passes({32, 32}, 1, 0, 2) == Passes{32, 32});
    REQUIRE(passes({12, 20, 1}, 1, 0, 2) == Passes{12, 20, 1});
    REQUIRE(passes({12, 32, 32}, 1, 0, 3) == Passes{12, 32, 32});
    REQUIRE(passes({40, 40}, 1, 0, 4) == Passes{32, 8, 32, 8});
    REQUIRE(passes({1, 1, 1, 29, 1}, 1, 0, 2) == Passes{1, 1, 1, 29, 1});
    REQUIRE(passes({20, -4, 28}, 1, 0, 2) == Passes{20, 4, 28});
    // With 31 valid rows, steps of two stages use 30.
    REQUIRE(passes({10, 5, 1, 20}, 2, 1, 4) == Passes{10, 5, 1, 15, 5});
}
