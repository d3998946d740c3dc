#include "kernels/methods/scaled_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace stencil {
namespace {

// How far the sum of the ratios may stray from the exact one, in units of the last place of ratio + 4; a
// single one by up to twice as much. A few suffice to break the cycles. Where steps change little, more are
// needed, or the change is lost in roundings that are the same everywhere, and do no harm.
constexpr double kMinStray = 4, kMaxStray = 64;

// Multiples of 1/16 that are not large stay what they are: 1/5 makes an even 5 of ratio + 4.
constexpr double kSimple = 16, kMaxSimple = 256;

// Where the binary logarithm of the growth between 1 to kMaxRepeats scales is within this of a whole number,
// the mantissa of g repeats too soon, or moves too slowly.
constexpr double kNearPowerOfTwo = 1e-3;
constexpr int kMaxRepeats = 32;

// Where 1/c is this far from 1, several steps without a scale would eat up the range of floats.
constexpr double kMaxGrowth = 32;

// The fractional part of n^2 times the golden ratio, times 2^64: as even as any sequence in the long run, and
// without a relation between neighbours, which multiples of n itself would have.
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
void ScaledSteps<T>::set_coefficient(double coefficient) {
    coefficient_ = coefficient;
    exact_ratio_ = (1 - 4 * coefficient) / coefficient;
    const double sum = exact_ratio_ + 4;
    // Within double's own rounding counts: 0.2 means 1/5, not its binary neighbour.
    const bool simple = sum <= kMaxSimple && is_near_whole(kSimple * sum, 1e-14 * kSimple * sum) &&
                        std::abs(double(T(exact_ratio_)) - exact_ratio_) <= 1e-14 * sum;
    vary_ratio_ = std::is_same_v<T, float> && !simple;
    stray_ = std::ldexp(std::clamp(sum / 8, kMinStray, kMaxStray) * sum, -std::numeric_limits<T>::digits);
    // The same above and below a power of two: where the sum is next to one, the roundings of a cell have a
    // sign by the distance from it, and are made up for only if both sides have the same distances.
    grid_ = std::ldexp(1.0, int(std::lround(std::log2(sum))) + 1 - std::numeric_limits<T>::digits);
    steps_per_scale_ = std::max(coefficient, 1 / coefficient) > kMaxGrowth ? 1 : kStepsPerScale;
    triple_ = repeats_itself(steps_per_scale_ * std::log2(sum));
    owed_ = 0;
}

template <class T>
T ScaledSteps<T>::next_ratio() {
    if (!vary_ratio_) return T(exact_ratio_);
    const double position = std::ldexp(double(scattered(steps_)), -64);
    const double wish = exact_ratio_ + owed_ + stray_ * (2 * position - 1);
    const T ratio = T(grid_ * std::round(wish / grid_));
    owed_ += exact_ratio_ - double(ratio);
    return ratio;
}

template <class T>
StepWeights<T> ScaledSteps<T>::next() {
    ++steps_;
    const T ratio = next_ratio();
    growth_ *= static_cast<long double>(ratio) + 4;
    if (steps_ % steps_per_scale_ != 0) return {ratio, T(1)};
    const int factor = triple_ ? 3 : 1;
    growth_ *= factor;
    const int shift = std::ilogb(growth_ * std::numbers::sqrt2_v<long double>);
    growth_ = std::ldexp(growth_, -shift);
    return {ratio, std::ldexp(T(factor), -shift)};
}

template <class T>
void ScaledSteps<T>::restart() {
    steps_ = 0;
    owed_ = 0;
    growth_ = 1;
}

template class ScaledSteps<float>;
template class ScaledSteps<double>;

}  // namespace stencil
