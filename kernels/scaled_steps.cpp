#include "kernels/scaled_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace stencil {
namespace {

// How far the ratio may stray, in units of the last place of ratio + 4. A few suffice to break the cycles;
// one step's coefficient is off by up to this many roundings.
constexpr double kStray = 3;

// Where the binary logarithm of the growth between scales is within this of a whole number, the mantissa of g
// moves too slowly by itself.
constexpr double kNearPowerOfTwo = 2e-3;

// Where 1/c is this far from 1, several steps without a scale would eat up the range of floats.
constexpr double kMostGrowth = 32;

}  // namespace

template <class T>
void ScaledSteps<T>::set_coefficient(double coefficient) {
    coefficient_ = coefficient;
    exact_ratio_ = (1 - 4 * coefficient) / coefficient;
    const double sum = exact_ratio_ + 4;
    // Within double's own rounding of a float counts as a float: 0.2 means 1/5, not its binary neighbour.
    vary_ratio_ = std::is_same_v<T, float> && std::abs(double(T(exact_ratio_)) - exact_ratio_) > 1e-14 * sum;
    steps_per_scale_ = std::max(coefficient, 1 / coefficient) > kMostGrowth ? 1 : kStepsPerScale;
    const double exponent = steps_per_scale_ * std::log2(sum);
    triple_ = std::abs(exponent - std::round(exponent)) < kNearPowerOfTwo;
    owed_ = 0;
}

template <class T>
T ScaledSteps<T>::next_ratio() {
    if (!vary_ratio_) return T(exact_ratio_);
    // The fractional parts of multiples of the golden ratio fill [0, 1) as evenly as any sequence does.
    const double position = std::fmod(double(steps_) * (std::numbers::phi - 1), 1.0);
    const double unit = std::ldexp(exact_ratio_ + 4, -std::numeric_limits<T>::digits);
    const T ratio = T(exact_ratio_ + owed_ + unit * kStray * (2 * position - 1));
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
