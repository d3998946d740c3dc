// How passes over a field are divided.
#include "kernels/methods/cpu/cpu_tiling.h"

#include "kernels/methods/cpu/lifted_rows.h"
#include "kernels/methods/steppers.h"
#include "kernels/methods/streaming/stream_tiles.h"
#include "sim/solvers/halo.h"
#include "sim/solvers/solver.h"
#include "tests/support/fields.h"

namespace {

constexpr int kPacket = 4;  // of streaming

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

TEST_CASE("Tiles of a pass write each cell once, and only where they have it right") {
    Dice dice;
    for (int i = 0; i < 2000; ++i) {
        const bool fused = i % 7 == 0, wraps = i % 3 == 0;
        const int width = i % 2 ? 576 : 288, levels = dice.integer(1, 16);
        const int nx = i % 5 == 0 ? width + i / 5 % 40 - 20 : dice.integer(1, 20000);
        const StreamCut cut{fused ? std::max(nx, width) : nx,
                            dice.integer(1, i % 2 ? 30000 : 300),
                            wraps,
                            width,
                            levels,
                            fused ? 2 : kPacket,
                            264,
                            3 * levels,
                            !fused,
                            wraps || fused ? 0 : 24};
        INFO(cut.nx << "x" << cut.ny << ", " << width << " wide, " << levels << " levels, wraps " << wraps);
        const std::vector<StreamTile> tiles = stream_tiles(cut);
        int x = 0, y = 0;
        for (const StreamTile& tile : tiles) {
            // Each level invalidates a column at every cut.
            const int end = tile.origin + width;
            const bool cut_west = wraps || tile.origin > 0, cut_east = wraps || end < cut.nx;
            REQUIRE((tile.x_begin == x && tile.y_begin == y));
            REQUIRE((tile.x_begin <= tile.x_end && tile.y_begin <= tile.y_end));
            REQUIRE(tile.x_begin >= tile.origin + (cut_west ? levels : 0));
            REQUIRE(tile.x_end <= end - (cut_east ? levels : 0));
            REQUIRE(tile.x_begin % cut.packet == 0);
            if (!fused) REQUIRE(tile.origin % kPacket == 0);
            if (!wraps && cut.nx >= width) REQUIRE(end < cut.nx + (fused ? 1 : kPacket));
            x = tile.x_end == cut.nx ? 0 : tile.x_end;
            if (x == 0) y = tile.y_end;
        }
        REQUIRE((x == 0 && y == cut.ny));
    }
}

TEST_CASE("There are no more strips than the columns need") {
    const auto strips = [](int nx) {
        return stream_tiles({nx, 1, false, 576, 16, kPacket, 264, 0, true}).size();
    };
    // 1 + (8192 - 576) / (576 - 2 * 16), which divides exactly.
    REQUIRE(strips(8192) == 15);
    REQUIRE(strips(576) == 1);
    REQUIRE(strips(577) == 2);
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
