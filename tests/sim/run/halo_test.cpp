// When a slab's halo is exchanged.

#include "sim/run/solvers/halo.h"

#include <array>
#include <vector>

#include "tests/support/catch.h"

using namespace stencil;

namespace {

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
