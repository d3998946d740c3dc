// Arrays for tests of array operations.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/examples/arrays/elementwise.h"
#include "sim/examples/context.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/request.h"
#include "tests/support/scratch.h"

namespace stencil_test {

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

template <class T>
std::vector<T> unit_numbers(Dice& dice, std::size_t n, double low = 0) {
    std::vector<T> values(n);
    for (T& value : values) value = T(dice.uniform(low, 1));
    return values;
}

/// Computes the result in higher precision, but rounds the intermediate 2x + 1 as T does.
template <class T>
long double expected(stencil::Map map, T x) {
    const long double wide = x;
    switch (map) {
        case stencil::Map::sine_of_line:
            return std::sin((long double)(T(2 * x + 1)));
        case stencil::Map::sine:
            return std::sin(wide);
        case stencil::Map::square:
            return (long double)(T(x * x));
        case stencil::Map::chain: {
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

/// Checks every expression at any length and alignment. run(map, x, offset) places x `offset` elements after
/// an aligned address, and returns an output filled with kUntouched, with kBeyond more elements.
template <class T>
void check_expressions(const auto& run) {
    Dice dice;
    for (const stencil::Expression& row : stencil::kExpressions)
        for (const std::size_t n : {1, 2, 3, 7, 16, 17, 1003, 4099})
            for (const std::size_t offset : {0, 1}) {
                const std::vector<T> x = any_numbers<T>(dice, n);
                const std::vector<T> y = run(row.map, x, offset);
                REQUIRE(y.size() == n + kBeyond);
                for (std::size_t i = 0; i < n; ++i) {
                    CAPTURE(row.name, n, offset, i, x[i], y[i]);
                    REQUIRE(agrees(y[i], expected(row.map, x[i]), 5));
                }
                for (std::size_t i = n; i < y.size(); ++i) REQUIRE(y[i] == kUntouched<T>);
            }
}

/// Checks each map for every number; run(map, a, b) returns its output.
template <class T>
void check_single_passes(const auto& run) {
    using stencil::Map;
    Dice dice;
    const std::vector<T> a = any_numbers<T>(dice, 777), b = any_numbers<T>(dice, 777);
    const auto check = [&](Map map, double units, const auto& want) {
        const std::vector<T> to = run(map, a, b);
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

/// A sum in higher precision than T.
struct ExactSum {
    long double sum = 0;
    long double magnitude = 0;  ///< sum of |terms|
};

/// Sums x[i] y[i], or x[i] if y is null.
template <class T>
ExactSum exact_sum_of(const T* x, const T* y, std::size_t n) {
    ExactSum result;
    for (std::size_t i = 0; i < n; ++i) {
        const long double term = y ? (long double)(x[i]) * y[i] : (long double)(x[i]);
        result.sum += term;
        result.magnitude += std::abs(term);
    }
    return result;
}

/// Requires an error of at most what `roundings` between a term and the result can cause.
template <class T>
void require_sum(T got, const ExactSum& want, double roundings) {
    const long double bound = roundings * std::numeric_limits<T>::epsilon() / 2 * want.magnitude;
    CAPTURE(got, double(want.sum), double(bound));
    REQUIRE(std::abs((long double)(got)-want.sum) <= bound);
}

/// With this limit of GPU memory the example fails before its first row, and says how many elements would
/// fit; with that many (fewer than requested) it runs.
inline void require_refused_below(stencil::ExampleRequest asked,
                                  const stencil::Machine& machine,
                                  std::uint64_t limit) {
    limit_memory(asked, limit);
    int rows = 0;
    stencil::ExampleWatch watch;
    watch.news = [&](const stencil::Report&) { ++rows; };
    const std::string refusal =
        message_of<stencil::MachineError>([&] { stencil::run_example(asked, machine, watch); });
    CAPTURE(refusal);
    REQUIRE(refusal.find("not enough GPU memory") != std::string::npos);
    REQUIRE(refusal.find('\n') == std::string::npos);
    REQUIRE(rows == 0);
    const std::size_t at = refusal.rfind("; ");
    REQUIRE(at != std::string::npos);
    const std::string fit = refusal.substr(at + 2, refusal.find(' ', at + 2) - at - 2);
    if (fit == "0") return;
    const bool by_length = asked.example->name != "elementwise";
    asked.options.set(by_length ? "length" : "size", by_length ? fit : fit + "x1");
    for (const stencil::ReportRow& row : stencil::run_example(asked, machine, {}).rows) {
        REQUIRE(row.measured());
        REQUIRE(row.gpu_memory->actual <= double(limit));
    }
}

}  // namespace stencil_test
