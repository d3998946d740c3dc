// The seed of the tests' random numbers: new in every run, or given by STENCILSCOPE_TEST_SEED. The tests'
// main prints it after a failure; with it the same test, run alone as ctest does, gets the same numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace stencil_test {

inline std::uint64_t test_seed() {
    static const std::uint64_t seed = [] {
        const char* given = std::getenv("STENCILSCOPE_TEST_SEED");
        return given ? std::strtoull(given, nullptr, 10) : std::uint64_t{std::random_device{}()};
    }();
    return seed;
}

/// Returns a different seed for every generator of the run, derived from test_seed().
inline std::uint64_t next_seed() {
    static std::atomic<std::uint64_t> count = 0;
    return test_seed() + 0x9e3779b97f4a7c15u * count++;
}

}  // namespace stencil_test
