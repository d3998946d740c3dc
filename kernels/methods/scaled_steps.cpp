#include "kernels/methods/scaled_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace stencil {
namespace {

// Range of the dither: how far the sum of the ratios may deviate from the exact one, in units of the last
// place of ratio + 4 (a single ratio by up to twice as much). A few units break the cycles. Slow steps need
// more, or their change is lost in roundings that are the same everywhere.
constexpr double kMinDither = 4, kMaxDither = 64;

// Ratios that are small multiples of 1/16 are exact and stay constant: c = 1/5 gives ratio + 4 = 5.
constexpr double kSimple = 16, kMaxSimple = 256;

// If log2 of the growth over 1 to kMaxRepeats scales is this close to an integer, the mantissa of g repeats
// too soon or moves too slowly.
constexpr double kNearPowerOfTwo = 1e-3;
constexpr int kMaxRepeats = 32;

constexpr Mantissa64 kThree{std::uint64_t(3) << 62, 1};
constexpr Mantissa64 kSqrt2{0xB504F333F9DE6484, 0};

// If 1/c is further from 1 than this factor, several steps without scaling would exhaust the range of floats.
constexpr double kMaxGrowth = 32;

// frac(n^2 * golden ratio) * 2^64: a low-discrepancy sequence whose neighbours are uncorrelated (unlike the
// usual multiples of n).
std::uint64_t scattered(long long n) {
    return std::uint64_t(n) * std::uint64_t(n) * 0x9E3779B97F4A7C15;
}

bool is_near_whole(double number, double margin) {
    return std::abs(number - std::round(number)) < margin;
}

bool repeats_itself(double exponent) {
    for (int count = 1; count <= kMaxRepeats; ++count)
        if (is_near_whole(count * exponent, kNearPowerOfTwo)) return true;
    return false;
}

}  // namespace

template <class T>
bool ScaledSteps<T>::takes(double coefficient) {
    constexpr double kLeast = std::is_same_v<T, float> ? 0x1p-64 : 0x1p-512;
    return coefficient >= kLeast && coefficient <= kMaxGrowth;
}

template <class T>
void ScaledSteps<T>::set_coefficient(double coefficient) {
    coefficient_ = coefficient;
    exact_ratio_ = (1 - 4 * coefficient) / coefficient;
    const double sum = exact_ratio_ + 4;
    // Compared within double's rounding, because 0.2 means 1/5 and not its binary neighbour.
    const bool simple = sum <= kMaxSimple && is_near_whole(kSimple * sum, 1e-14 * kSimple * sum) &&
                        std::abs(double(T(exact_ratio_)) - exact_ratio_) <= 1e-14 * sum;
    vary_ratio_ = std::is_same_v<T, float> && !simple;
    dither_ = std::ldexp(std::clamp(sum / 8, kMinDither, kMaxDither) * sum, -std::numeric_limits<T>::digits);
    // One grid on both sides of a power of two: next to it the sign of a cell's rounding error depends on the
    // distance, and errors only cancel if both sides have the same spacing.
    grid_ = std::ldexp(1.0, int(std::lround(std::log2(sum))) + 1 - std::numeric_limits<T>::digits);
    steps_per_scale_ = std::max(coefficient, 1 / coefficient) > kMaxGrowth ? 1 : kStepsPerScale;
    multiply_by_3_ = repeats_itself(steps_per_scale_ * std::log2(sum));
    carried_error_ = 0;
}

template <class T>
T ScaledSteps<T>::next_ratio() {
    if (!vary_ratio_) return T(exact_ratio_);
    const double position = std::ldexp(double(scattered(steps_)), -64);
    const double wish = exact_ratio_ + carried_error_ + dither_ * (2 * position - 1);
    const T ratio = T(grid_ * std::round(wish / grid_));
    carried_error_ += exact_ratio_ - double(ratio);
    return ratio;
}

template <class T>
StepWeights<T> ScaledSteps<T>::next() {
    ++steps_;
    const T ratio = next_ratio();
    growth_ = growth_ * positive_sum(double(ratio), 4);
    if (steps_ % steps_per_scale_ != 0) return {ratio, T(1)};
    const int factor = multiply_by_3_ ? 3 : 1;
    if (multiply_by_3_) growth_ = growth_ * kThree;
    const int shift = (growth_ * kSqrt2).exponent;
    growth_.exponent -= shift;
    return {ratio, std::ldexp(T(factor), -shift)};
}

template <class T>
double ScaledSteps<T>::largest_growth(double coefficient) const {
    ScaledSteps next = *this;
    next.set_coefficient(coefficient);
    // The stored state grows until the next scaling; after each scaling it is within 1.5 of the field.
    const double per_step = std::max(1 / coefficient, 1.0);
    const double until_scale = std::pow(per_step, next.steps_to_scale()) / read_factor();
    return std::max(until_scale, 1.5 * std::pow(per_step, next.steps_per_scale()));
}

template <class T>
void ScaledSteps<T>::restart() {
    steps_ = 0;
    carried_error_ = 0;
    growth_ = {};
}

template <class T>
InnerNumbers ScaledSteps<T>::numbers() const {
    // The mantissa's top bit is always set; without it the rest fits a signed integer.
    return {{"coefficient", coefficient_},
            {"steps", std::int64_t(steps_)},
            {"carried_error", carried_error_},
            {"growth_mantissa", std::int64_t(growth_.mantissa - Mantissa64::kTop)},
            {"growth_exponent", std::int64_t(growth_.exponent)}};
}

template <class T>
bool ScaledSteps<T>::resume(const InnerNumbers& numbers) {
    const InnerNumbers own = this->numbers();
    const auto same_kind = [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.index() == b.second.index();
    };
    if (!std::ranges::equal(numbers, own, same_kind)) return false;
    const auto integer = [&](const char* name) { return std::get<std::int64_t>(numbers.at(name)); };
    set_coefficient(std::get<double>(numbers.at("coefficient")));
    steps_ = integer("steps");
    carried_error_ = std::get<double>(numbers.at("carried_error"));
    growth_ = {std::uint64_t(integer("growth_mantissa")) + Mantissa64::kTop, int(integer("growth_exponent"))};
    return true;
}

template class ScaledSteps<float>;
template class ScaledSteps<double>;

}  // namespace stencil
