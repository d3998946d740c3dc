#include "sim/view/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/catch.h"
#include "tests/support/fields.h"

using namespace stencil;

namespace {

std::vector<double> wave(int nx, int ny, double columns, double rows) {
    std::vector<double> values;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            values.push_back(5 + std::cos(2 * std::numbers::pi * (columns * x / nx + rows * y / ny) + 0.3));
    return values;
}

}  // namespace

TEST_CASE("A wave is where its number is in the spectrum, and nothing is elsewhere") {
    constexpr double kLengthX = 16, kLengthY = 12;
    for (const auto& [nx, ny] : {std::pair{32, 24}, std::pair{33, 25}}) {
        const auto s = radial_spectrum(wave(nx, ny, 4, 3), nx, ny, kLengthX, kLengthY);
        REQUIRE(!s.power.empty());
        const auto peak = std::size_t(std::ranges::max_element(s.power) - s.power.begin());
        const double k = 2 * std::numbers::pi * std::hypot(4 / kLengthX, 3 / kLengthY);
        CHECK(std::abs(s.wave_number[peak] - k) <= std::numbers::pi / kLengthX);
        for (std::size_t i = 0; i < s.power.size(); ++i)
            if (i != peak) CHECK(s.power[i] < 1e-9 * s.power[peak]);
    }
}

TEST_CASE("Noise has as much of every wave, and what is not finite has no spectrum") {
    const auto noise = stencil_test::random_field(128, 128);
    std::vector<double> values(noise.cells().begin(), noise.cells().end());
    const auto s = radial_spectrum(values, 128, 128, 128, 128);
    REQUIRE(s.power.size() == 64);
    for (std::size_t i = 8; i < s.power.size(); ++i) {
        CHECK(s.power[i] > 0.3 * s.power[32]);
        CHECK(s.power[i] < 3 * s.power[32]);
    }
    values[77] = std::numeric_limits<double>::quiet_NaN();
    CHECK(radial_spectrum(values, 128, 128, 128, 128).power.empty());
    CHECK(radial_spectrum({1}, 1, 1, 1, 1).power.empty());
}
