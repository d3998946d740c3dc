#include <cmath>
#include <random>

#include "kernels/scaled_steps.h"
#include "tests/support/catch.h"

namespace {

// One cell of a field that is the same everywhere, stepped without a boundary: it must stay what it is.
template <class T>
double flat_error(double coefficient, long long steps, T value) {
    stencil::ScaledSteps<T> schedule(coefficient);
    T state = value;
    for (long long i = 0; i < steps; ++i)
        state =
            stencil::step_cell(stencil::Neighbourhood<T>{state, state, state, state, state}, schedule.next());
    return std::abs(double(state) * schedule.read_factor() / double(value) - 1);
}

}  // namespace

TEST_CASE("A flat field stays flat over ten thousand steps, whatever the coefficient") {
    std::mt19937 generator{std::random_device{}()};
    std::uniform_real_distribution<float> values(0.5F, 1.0F);
    std::uniform_real_distribution<double> exponents(-16, -2);
    for (int i = 0; i < 40; ++i) {
        const double c = std::exp2(exponents(generator));
        const float value = values(generator);
        INFO("coefficient " << c << ", value " << value);
        REQUIRE(flat_error<float>(c, 10000, value) <= 2e-5);
        REQUIRE(flat_error<double>(c, 10000, double(value)) <= 1e-11);
    }
}

TEST_CASE("The weights of a step are those of the exact step, but for a few roundings") {
    for (const double c : {0.25, 0.2, 0.2499, 0.13, 0.125, 0.0625, 0.01, 1e-5}) {
        stencil::ScaledSteps<float> schedule(c);
        double ratio_sum = 0;
        const int steps = 1000;
        for (int i = 0; i < steps; ++i) {
            const auto w = schedule.next();
            const double exact = (1 - 4 * c) / c;
            INFO("coefficient " << c << ", step " << i);
            REQUIRE(std::abs(double(w.ratio) - exact) <= 8 * 0x1p-24 / c);
            ratio_sum += double(w.ratio) - exact;
            const bool scaled = schedule.steps_to_scale() == schedule.steps_per_scale();
            REQUIRE((scaled || w.scale == 1));
            REQUIRE(schedule.read_factor() >= (scaled ? 0.7 : 0x1p-16));
            REQUIRE(schedule.read_factor() <= 1.5);
        }
        REQUIRE(std::abs(ratio_sum / steps) <= 0.02 * 0x1p-24 / c);
    }
}

TEST_CASE("A new coefficient leaves the stored state readable") {
    stencil::ScaledSteps<double> schedule(0.2);
    for (int i = 0; i < 5; ++i) schedule.next();
    const double factor = schedule.read_factor();
    schedule.set_coefficient(0.07);
    REQUIRE(schedule.read_factor() == factor);
    schedule.restart();
    REQUIRE(schedule.read_factor() == 1);
}
