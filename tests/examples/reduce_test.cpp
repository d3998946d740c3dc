#include "kernels/examples/arrays/reduce.h"

#include "kernels/cpu/thread_pool.h"
#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr std::size_t kLengths[] = {1, 2, 7, 31, 2047, 2048, 2049, 70001};

// Roundings of sums with four lanes: 64 additions per lane and block, then lanes, sums and blocks in pairs.
constexpr double kBlockRoundings = 300;

}  // namespace

TEMPLATE_TEST_CASE("Sums and dot products are off by no more than their roundings, at any length and address",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    ThreadPool threads(3);
    for (const std::size_t n : kLengths)
        for (const std::size_t offset : {0, 1}) {
            CAPTURE(n, offset);
            const std::vector<T> x = unit_numbers<T>(dice, n + offset, -1),
                                 y = unit_numbers<T>(dice, n + offset, -1);
            const auto count = std::int64_t(n);
            const T* const from_x = x.data() + offset;
            const T* const from_y = y.data() + offset;
            const ExactSum sum = exact_sum_of<T>(from_x, nullptr, n), dot = exact_sum_of(from_x, from_y, n);
            require_sum(cpu_sum<T>(threads, from_x, nullptr, count), sum, kBlockRoundings);
            require_sum(cpu_sum(threads, from_x, from_y, count), dot, kBlockRoundings);
            require_sum(blas_sum<T>(2, from_x, nullptr, count), {sum.magnitude, sum.magnitude}, double(n));
            require_sum(blas_sum(2, from_x, from_y, count), dot, double(n + 1));
            require_sum(serial_sum(T(0), from_x, count), sum, double(n));
        }
    REQUIRE(cpu_sum<T>(threads, nullptr, nullptr, 0) == 0);
}

TEMPLATE_TEST_CASE("Sums in blocks have the same bits with any number of threads", "", float, double) {
    using T = TestType;
    Dice dice;
    const std::vector<T> x = unit_numbers<T>(dice, 100'003, -1), y = unit_numbers<T>(dice, 100'003, -1);
    ThreadPool one(1), two(2), five(5);
    const auto n = std::int64_t(x.size());
    const T sum = cpu_sum<T>(one, x.data(), nullptr, n), dot = cpu_sum(one, x.data(), y.data(), n);
    for (ThreadPool* const threads : {&one, &two, &five}) {
        REQUIRE(cpu_sum<T>(*threads, x.data(), nullptr, n) == sum);
        REQUIRE(cpu_sum(*threads, x.data(), y.data(), n) == dot);
    }
}

TEST_CASE("One term that is no number makes every sum none") {
    Dice dice;
    ThreadPool threads(2);
    std::vector<float> x = unit_numbers<float>(dice, 5000);
    x[std::size_t(dice.integer(0, 4999))] = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(std::isnan(cpu_sum<float>(threads, x.data(), nullptr, 5000)));
    REQUIRE(std::isnan(serial_sum(0.0f, x.data(), 5000)));
}

TEST_CASE("A float32 sum, one term after the other, loses digits that sums of sums keep") {
    Dice dice;
    ThreadPool threads(2);
    std::vector<float> x = unit_numbers<float>(dice, 4'000'000);
    // Next to 2^25, where floats are 4 apart, adding numbers below 1 has no effect. Pairwise sums lose only
    // one lane of one block, and up to half of 4 where two sums meet.
    x[0] = 0x1p25f;
    const auto n = std::int64_t(x.size());
    const long double exact = exact_sum_of<float>(x.data(), nullptr, x.size()).sum;
    REQUIRE(serial_sum(0.0f, x.data(), n) == x[0]);
    REQUIRE(double(std::abs(cpu_sum<float>(threads, x.data(), nullptr, n) - exact) / exact) < 5e-6);
}
