// The scaled state: how float32 steps keep seven digits over tens of thousands of steps.
//
// Written as u + c * Laplacian(u), a float32 step rounds u to the same grid of floats every time. Where the
// change per step is a few units in the last place, a cell is rounded the same way step after step, and the
// error grows linearly with the steps (measured: 1.7e-5 after 1000 steps of a smooth mode on 2000^2, c =
// 0.2).
//
// Instead the methods step v = g u, where g is a known number close to 1 that changes with every step:
//     v' = scale * (ratio * v + north + south + east + west),   ratio = (1 - 4c) / c,
//     g' = g * scale * (ratio + 4)
// This is the same step (divide by c, multiply by scale) with one FFMA and three FADD; the multiplication by
// scale, a power of two, is exact. As the mantissa of g changes, roundings fall differently in every step and
// cancel instead of accumulating. The stored field is never scaled back; it is unscaled when read.
//
// Three details:
//  - Dither: ratio is rarely a short binary number. A rounded constant would be the ratio of a slightly
//    different c, and would drive flat regions into rounding cycles. So each step takes a different float
//    near the exact value and compensates the error of those before: the mean is exact, the error of one step
//    is below 6e-7 of c and, for c below 1/32, less than 2^-23 of the field.
//  - scale is 1 in most steps: g grows by ratio + 4 = 1/c in each and is brought back near 1 in every fourth
//    step (in every step if 1/c is beyond 32), which saves a multiplication per cell. The period is counted
//    from the load, so that results do not depend on how steps are divided into calls.
//  - If a few scalings make g grow by nearly a power of two (one for c = 1/4, 1/8, ..., two if c times the
//    root of two is such a number), its mantissa would repeat the same few values; there each scaling
//    multiplies by 3 times a power of two.
// Relative 2-norm errors against float64 after 10000 steps of flat fields and slow waves, over some 80000
// coefficients from 2e-7 to 0.25, drawn everywhere and around all values for which the mantissa of g repeats:
// 2.5e-6, at most 2.1e-5 (next to coefficients 2^-n). Without FMA 3.4e-6, at most 4.2e-5.
#pragma once

#include "kernels/field/cell_update.h"
#include "kernels/methods/inner_state.h"
#include "kernels/methods/mantissa64.h"

namespace stencil {

/// The sequence of weights of one field's steps, and the factor between its stored state and the field. T is
/// float or double.
template <class T>
class ScaledSteps {
  public:
    /// Whether steps with this coefficient can scale the state: it is positive, and neither so small that the
    /// growth per step leaves T's range nor so large that the ratio rounds to -4 in T.
    static bool takes(double coefficient);

    /// `coefficient` must satisfy takes().
    explicit ScaledSteps(double coefficient) { set_coefficient(coefficient); }

    /// Takes effect at the next step; the stored state is unchanged.
    void set_coefficient(double coefficient);
    double coefficient() const { return coefficient_; }

    /// Returns the weights of the next step and advances the sequence.
    StepWeights<T> next();

    /// The field is the stored state times this factor, which is within [0.7, 1.5] after a step with scaling
    /// and always within 2^-16 and 2^16.
    double read_factor() const { return inverse(growth_); }

    /// Every steps_per_scale()-th step scales; all others have scale 1.
    static constexpr int kStepsPerScale = 4;
    int steps_per_scale() const { return steps_per_scale_; }

    /// Steps until the next scaling, inclusive (1 to steps_per_scale()).
    int steps_to_scale() const { return steps_per_scale_ - int(steps_ % steps_per_scale_); }

    /// An upper bound on the stored state and a step's intermediates relative to the field, with this
    /// coefficient.
    double largest_growth(double coefficient) const;

    /// Called after a field was loaded: the stored state is the field itself (factor 1).
    void restart();

    /// The position in the sequence, for checkpoints. resume() continues from there, or returns false and
    /// changes nothing if it is invalid.
    InnerNumbers numbers() const;
    bool resume(const InnerNumbers& numbers);

  private:
    T next_ratio();

    double coefficient_ = 0;
    double exact_ratio_ = 0;
    double dither_ = 0,
           grid_ = 0;          ///< dither: half the range of ratios, and the grid that they are rounded to
    bool vary_ratio_ = false;  ///< the exact ratio is not a short binary number
    int steps_per_scale_ = kStepsPerScale;
    bool multiply_by_3_ = false;  ///< some growth between scalings is nearly a power of two
    double carried_error_ = 0;    ///< accumulated difference between the exact ratios and those used
    long long steps_ = 0;
    Mantissa64 growth_;
};

}  // namespace stencil
