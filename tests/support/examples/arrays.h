// Plain arrays to test with.
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
#include "tests/support/scratch.h"

namespace stencil_test {

/// Numbers of all magnitudes and both signs, among them none, infinite ones and zeros.
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

/// In more digits than T has. Where T rounds in between (2x + 1), so does this.
template <class T>
long double expected(stencil::Expression expression, T x) {
    const long double wide = x;
    switch (expression) {
        case stencil::Expression::sine_of_line:
            return std::sin((long double)(T(2 * x + 1)));
        case stencil::Expression::sine:
            return std::sin(wide);
        case stencil::Expression::square:
            return (long double)(T(x * x));
        case stencil::Expression::chain: {
            const long double y = std::exp(std::sin(wide) * std::cos(wide));
            return y > 0.5L ? 2 * y : y / 2;
        }
    }
    return 0;
}

/// Within so many units of the last place of the expected number; or both are none, or the same infinity.
template <class T>
bool agrees(T got, long double want, double units) {
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want)) return (long double)(got) == want;
    const long double unit = std::max(std::abs(want), (long double)(std::numeric_limits<T>::min())) *
                             std::numeric_limits<T>::epsilon();
    return std::abs((long double)(got)-want) <= units * unit;
}

/// The request for an example with options as on the command line.
inline stencil::ExampleRequest request(std::string_view name,
                                       const std::vector<std::pair<std::string, std::string>>& options,
                                       const std::string& backend) {
    stencil::ExampleRequest asked = stencil::request_for(stencil::find_example(name));
    asked.backend = backend;
    asked.repeats = 2;
    asked.threads = 2;
    for (const auto& [option, value] : options) asked.options.set(option, value);
    return asked;
}

/// With this limit of GPU memory the example ends before its first row, and says how many elements fit: with
/// that many, below those that were asked for, it runs.
inline void require_refused_below(stencil::ExampleRequest asked,
                                  const stencil::Machine& machine,
                                  std::uint64_t limit) {
    asked.memory_limit = limit;
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
