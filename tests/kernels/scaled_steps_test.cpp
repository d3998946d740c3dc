#include "kernels/methods/scaled_steps.h"
#include "kernels/methods/mantissa64.h"
#include "tests/support/catch.h"

namespace {

// Returns the relative error of a cell in a uniform field without boundaries, which should not change.
template <class T>
double flat_error(double coefficient, T value) {
    stencil::ScaledSteps<T> schedule(coefficient);
    T state = value;
    for (int i = 0; i < 10000; ++i)
        state =
            stencil::step_cell(stencil::Neighbourhood<T>{state, state, state, state, state}, schedule.next());
    return double(state) * schedule.read_factor() / double(value) - 1;
}

// Returns its root mean square over several fields.
template <class T>
double flat_error(Dice& dice, double coefficient) {
    constexpr int kValues = 16;
    double sum = 0;
    for (int i = 0; i < kValues; ++i) {
        const double error = flat_error(coefficient, T(dice.uniform(0.5, 1)));
        sum += error * error;
    }
    return std::sqrt(sum / kValues);
}

void check_flat(Dice& dice, double coefficient) {
    CAPTURE(coefficient);
    REQUIRE(flat_error<float>(dice, coefficient) <= 3e-5);
    REQUIRE(flat_error<double>(dice, coefficient) <= 1e-11);
}

}  // namespace

TEST_CASE("A flat field stays flat over ten thousand steps, whatever the coefficient") {
    Dice dice;
    for (int i = 0; i < 40; ++i) check_flat(dice, std::exp2(dice.uniform(-16, -2)));
    // Where the growth of the state comes back to powers of two.
    for (const int steps : {1, 2, 3, 5, 8, 12, 20})
        for (int i = 0; i < 8; ++i) {
            const double exponent = double(dice.integer(2 * steps + 1, 16 * steps)) / steps;
            const double beside = std::exp2(-dice.uniform(6, 32)) * (dice.integer(0, 1) ? 1 : -1);
            check_flat(dice, std::exp2(-exponent - beside));
        }
    for (const double c : {0.25, 0.2499999, 0.249999994, 0.125, 0.12499999, 0.1249995, 0.0625000104})
        check_flat(dice, c);
}

TEST_CASE("The weights of a step are those of the exact step, but for a few roundings") {
    for (const double c : {0.25, 0.2, 0.2499, 0.13, 0.125, 0.0625, 0.01, 1e-5, 1e-8}) {
        stencil::ScaledSteps<float> schedule(c);
        const double stray = std::clamp(1 / (8 * c), 4.0, 64.0);
        double ratio_sum = 0;
        const int steps = 1000;
        for (int i = 0; i < steps; ++i) {
            const auto w = schedule.next();
            const double exact = (1 - 4 * c) / c;
            INFO("coefficient " << c << ", step " << i);
            REQUIRE(std::abs(double(w.ratio) - exact) <= (2 * stray + 2) * 0x1p-24 / c);
            ratio_sum += double(w.ratio) - exact;
            const bool scaled = schedule.steps_to_scale() == schedule.steps_per_scale();
            REQUIRE((scaled || w.scale == 1));
            REQUIRE(schedule.read_factor() >= (scaled ? 0.7 : 0x1p-16));
            REQUIRE(schedule.read_factor() <= 1.5);
        }
        REQUIRE(std::abs(ratio_sum) <= (stray + 2) * 0x1p-24 / c);
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

TEST_CASE("A schedule goes on from its numbers with the same weights") {
    Dice dice;
    stencil::ScaledSteps<float> first(dice.uniform(1e-3, 0.25));
    for (int i = 0; i < 1000; ++i) first.next();
    stencil::ScaledSteps<float> second(0.2);
    REQUIRE(second.resume(first.numbers()));
    for (int i = 0; i < 1000; ++i) {
        const auto a = first.next();
        const auto b = second.next();
        REQUIRE(a.ratio == b.ratio);
        REQUIRE(a.scale == b.scale);
        REQUIRE(first.read_factor() == second.read_factor());
    }
    auto numbers = first.numbers();
    numbers.erase("steps");
    REQUIRE_FALSE(second.resume(numbers));
    REQUIRE(second.numbers() == first.numbers());
}

TEST_CASE("Numbers of 64 bits round as long double does on x86") {
    if (std::numeric_limits<long double>::digits != 64)
        stencil_test::skip("long double is no x86 extended precision here");
    Dice dice;
    long double plain = 1;
    stencil::Mantissa64 exact;
    for (int i = 0; i < 100000; ++i) {
        // Near 4, where the sum has the last bits of the smaller term.
        const double a = std::exp2(dice.uniform(-60, 4)) * (dice.integer(0, 1) ? 1 : -0.2);
        plain *= static_cast<long double>(a) + 4;
        exact = exact * stencil::positive_sum(a, 4);
        plain = std::ldexp(plain, -exact.exponent);
        exact.exponent = 0;
        REQUIRE(stencil::inverse(exact) == static_cast<double>(1 / plain));
    }
}
