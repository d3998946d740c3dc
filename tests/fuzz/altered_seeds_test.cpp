// The fuzz targets on their seeds, and on altered ones, where sanitizers watch.
#include <random>

#include "tests/fuzz/fuzz.h"
#include "tests/support/catch.h"
#include "tests/support/seed.h"

namespace {

using Random = std::mt19937_64;

std::size_t below(std::size_t end, Random& random) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

// Changes a byte, leaves a piece out, or puts a piece of another seed in.
void alter(std::string& input, const std::vector<std::string>& seeds, Random& random) {
    const std::size_t at = below(input.size() + 1, random);
    switch (below(3, random)) {
        case 0:
            if (at < input.size()) input[at] = char(below(256, random));
            break;
        case 1:
            input.erase(at, 1 + below(16, random));
            break;
        default: {
            const std::string& other = seeds[below(seeds.size(), random)];
            input.insert(at, other, below(other.size() + 1, random), 1 + below(32, random));
        }
    }
}

void run_altered(const stencil_fuzz::Target& target, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    constexpr std::size_t kLongest = 4096, kFewest = 16;
    Random random(stencil_test::test_seed());
    const std::vector<std::string> seeds = target.seeds();
    std::size_t inputs = 0;
    for (const std::string& input : seeds) target.run_one(input);
    for (; inputs < kFewest || Clock::now() < end; ++inputs) {
        std::string input = seeds[below(seeds.size(), random)];
        for (std::size_t left = 1 + below(8, random); left > 0; --left) alter(input, seeds, random);
        input.resize(std::min(input.size(), kLongest));
        if (target.repair != nullptr)
            target.repair(reinterpret_cast<std::uint8_t*>(input.data()), input.size());
        target.run_one(input);
    }
}

}  // namespace

TEST_CASE("Readers refuse altered files in one line, and keep what they accept") {
    REQUIRE(stencil_fuzz::targets().size() > 10);
    for (const stencil_fuzz::Target& target : stencil_fuzz::targets()) {
        INFO(target.name);
        run_altered(target, 1.0);
    }
}
