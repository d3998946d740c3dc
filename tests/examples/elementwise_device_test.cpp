// Expressions of each element on the CPU and the GPU.

#include "kernels/examples/arrays/elementwise.h"

#include "kernels/cpu/thread_pool.h"
#include "tests/support/catch.h"
#include "tests/support/device.h"
#include "tests/support/examples/on_device.h"

namespace {

/// Returns numbers of all magnitudes and both signs, with NaN, infinities and zeros.
template <class T>
std::vector<T> any_numbers(Dice& dice, std::size_t n) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {
        Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(0), -T(0), Limits::max()};
    std::vector<T> values(n);
    for (T& value : values) {
        const double sign = dice.integer(0, 1) ? 1 : -1;
        const int kind = dice.integer(0, 9);
        if (kind == 0)
            value = special[dice.integer(0, 5)];
        else if (kind <= 3)
            value = T(sign * std::pow(10.0, dice.uniform(-30, 37)));
        else
            value = T(sign * dice.uniform(0, 50));
    }
    return values;
}

/// Computes the result in higher precision, but rounds the intermediate 2x + 1 as T does.
template <class T>
long double expected(Map map, T x) {
    const long double wide = x;
    switch (map) {
        case Map::sine_of_line:
            return std::sin((long double)(T(2 * x + 1)));
        case Map::sine:
            return std::sin(wide);
        case Map::square:
            return (long double)(T(x * x));
        case Map::chain: {
            const long double y = std::exp(std::sin(wide) * std::cos(wide));
            return y > 0.5L ? 2 * y : y / 2;
        }
        default:
            return 0;
    }
}

/// Whether they differ by at most so many units in the last place, are both NaN, or equal infinities.
template <class T>
bool agrees(T got, long double want, double units) {
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want)) return (long double)(got) == want;
    const long double unit = std::max(std::abs(want), (long double)(std::numeric_limits<T>::min())) *
                             std::numeric_limits<T>::epsilon();
    return std::abs((long double)(got)-want) <= units * unit;
}

constexpr std::size_t kBeyond = 5;  ///< elements after an output, which must stay unchanged

template <class T>
constexpr T kUntouched = T(-123.25);

// Maps arrays that lie `offset` elements after an aligned address. Returns the output, which held kUntouched,
// with kBeyond more elements.
template <class T>
std::vector<T> mapped(Map map, std::vector<T> a, std::vector<T> b, std::size_t offset) {
    const std::size_t n = a.size();
    std::vector<T> to(n + kBeyond, kUntouched<T>);
#ifdef STENCILSCOPE_TESTS_CUDA
    CudaStream stream;
    const OnDevice<T> from_a(stream, a, offset), from_b(stream, b, offset), out(stream, to);
    cuda_map<T>(stream, map, from_a.data(), from_b.data(), out.data(), std::int64_t(n));
    return out.values();
#else
    ThreadPool threads(2);
    a.insert(a.begin(), offset, kUntouched<T>);
    b.insert(b.begin(), offset, kUntouched<T>);
    cpu_map<T>(threads, map, a.data() + offset, b.data() + offset, to.data(), std::int64_t(n));
    return to;
#endif
}

}  // namespace

TEMPLATE_TEST_CASE("Expressions hold for every number, at any length and address, and write nothing else",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    for (const Expression& row : kExpressions)
        for (const std::size_t n : {1, 2, 3, 7, 16, 17, 1003, 4099})
            for (const std::size_t offset : {0, 1}) {
                const std::vector<T> x = any_numbers<T>(dice, n);
                const std::vector<T> y = mapped(row.map, x, {}, offset);
                REQUIRE(y.size() == n + kBeyond);
                for (std::size_t i = 0; i < n; ++i) {
                    CAPTURE(row.name, n, offset, i, x[i], y[i]);
                    REQUIRE(agrees(y[i], expected(row.map, x[i]), 5));
                }
                for (std::size_t i = n; i < y.size(); ++i) REQUIRE(y[i] == kUntouched<T>);
            }
}

TEMPLATE_TEST_CASE("Each pass does what its name says, for every number", "", float, double) {
    using T = TestType;
    const std::size_t offset = GENERATE(0, 1);
    Dice dice;
    const std::vector<T> a = any_numbers<T>(dice, 777), b = any_numbers<T>(dice, 777);
    const auto check = [&](Map map, double units, const auto& want) {
        const std::vector<T> to = mapped(map, a, b, offset);
        for (std::size_t i = 0; i < a.size(); ++i) {
            CAPTURE(int(map), i, a[i], b[i], to[i]);
            REQUIRE(agrees(to[i], want(a[i], b[i]), units));
        }
    };
    check(Map::twice, 0, [](T x, T) { return T(2 * x); });
    check(Map::plus_one, 0, [](T x, T) { return T(x + 1); });
    check(Map::sine, 4, [](T x, T) { return std::sin((long double)(x)); });
    check(Map::cosine, 4, [](T x, T) { return std::cos((long double)(x)); });
    check(Map::square, 0, [](T x, T) { return T(x * x); });
    check(Map::exponential, 4, [](T x, T) {
        const long double y = std::exp((long double)(x));
        return y > std::numeric_limits<T>::max() ? std::numeric_limits<long double>::infinity() : y;
    });
    check(Map::choose, 0, [](T x, T) { return x > T(0.5) ? T(2 * x) : T(x / 2); });
    check(Map::product, 0, [](T x, T y) { return T(x * y); });
    check(Map::sum, 0, [](T x, T y) { return T(x + y); });
}

#ifndef STENCILSCOPE_TESTS_CUDA

template <class T>
std::vector<T> by_passes(ThreadPool& threads, const Expression& row, std::vector<T> x) {
    const T none = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> out(x.size(), none), first(x.size(), none), second(x.size(), none);
    T* const arrays[] = {x.data(), out.data(), first.data(), second.data()};
    for (const auto& [map, a, b, to] : row.passes)
        cpu_map<T>(threads, map, arrays[a], arrays[b], arrays[to], std::int64_t(x.size()));
    return out;
}

TEMPLATE_TEST_CASE("One pass gives what the separate passes give, with any number of threads",
                   "",
                   float,
                   double) {
    using T = TestType;
    Dice dice;
    ThreadPool one(1), three(3);
    for (const Expression& row : kExpressions) {
        CAPTURE(row.name);
        const std::vector<T> x = any_numbers<T>(dice, 2017);
        std::vector<T> fused(x.size()), with_three(x.size());
        cpu_map<T>(one, row.map, x.data(), nullptr, fused.data(), std::int64_t(x.size()));
        cpu_map<T>(three, row.map, x.data(), nullptr, with_three.data(), std::int64_t(x.size()));
        const std::vector<T> passes = by_passes(three, row, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(i, x[i], fused[i], passes[i]);
            REQUIRE((fused[i] == with_three[i] || (std::isnan(fused[i]) && std::isnan(with_three[i]))));
            // Outside the vector functions' range a pass may use libm where the fused chain does not.
            REQUIRE(agrees(passes[i], fused[i], std::abs(x[i]) < 1000 ? 0 : 4));
        }
    }
}

#endif
