// Fields for tests, and ways to compare them.
#pragma once

#include <type_traits>

#include "sim/field/field.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"

namespace stencil_test {

inline constexpr stencil::DType kDTypes[] = {stencil::DType::float32, stencil::DType::float64};

/// Returns a random field, different in every run of the tests: uniform on [0.25, 1), or negated. All values
/// have one sign, because fields of both signs may decay to almost nothing, which makes relative errors
/// meaningless.
inline stencil::Array<double> random_field(int nx, int ny) {
    static Dice dice;
    const double sign = dice.flip() ? 1 : -1;
    stencil::Array<double> field(nx, ny);
    for (double& value : field.cells()) value = sign * dice.uniform(0.25, 1);
    return field;
}

/// Returns the array of a function of column and row.
template <class Value>
stencil::Array<double> array_of(int nx, int ny, const Value& value) {
    stencil::Array<double> array(nx, ny);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) array.at(x, y) = value(x, y);
    return array;
}

inline stencil::Field poison(stencil::DType dtype, int nx, int ny) {
    stencil::Field field(dtype, nx, ny);
    field.visit([](auto& cells) {
        for (auto& value : cells.cells()) value = std::numeric_limits<float>::quiet_NaN();
    });
    return field;
}

/// Returns ||a - b|| / ||b|| in float64; NaN if either contains one.
inline double relative_error(const stencil::Field& a, const stencil::Field& b) {
    const stencil::Field wide_a = a.to(stencil::DType::float64);
    const stencil::Field wide_b = b.to(stencil::DType::float64);
    const auto x = wide_a.as<double>().cells();
    const auto y = wide_b.as<double>().cells();
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

inline bool same_bits(const stencil::Field& a, const stencil::Field& b) {
    return a.dtype() == b.dtype() && a.visit([&](const auto& cells) {
        using T = std::remove_cvref_t<decltype(cells.at(0, 0))>;
        return std::ranges::equal(cells.cells(), b.as<T>().cells());
    });
}

inline double total(const stencil::Field& field) {
    double sum = 0;
    const stencil::Field wide = field.to(stencil::DType::float64);
    for (const double value : wide.as<double>().cells()) sum += value;
    return sum;
}

/// The allowed relative error of a method against float64 after so many steps (docs/numbers.md).
inline double error_bound(stencil::DType dtype, long long steps) {
    const bool single = dtype == stencil::DType::float32;
    if (steps <= 100) return single ? 1e-6 : 1e-12;
    if (steps <= 1000) return single ? 3e-6 : 1e-11;
    return single ? 3e-5 : 1e-10;
}

/// Returns the message of the InputError that the call throws; empty if it throws none.
inline std::string input_error(const std::function<void()>& call) {
    return message_of<stencil::InputError>(call);
}

/// Requires that reading the file is refused by one line "PATH: MESSAGE", and returns the message.
inline std::string refusal_of_file(const std::filesystem::path& file, const std::function<void()>& read) {
    const std::string message = input_error(read), start = file.string() + ": ";
    INFO(message);
    REQUIRE(message.substr(0, start.size()) == start);
    REQUIRE(message.find_first_of("\n\r\t") == std::string::npos);
    return message.substr(start.size());
}

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace stencil_test
