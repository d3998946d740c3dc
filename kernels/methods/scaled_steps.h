// The scaled state: how float32 steps keep seven digits over tens of thousands of steps.
//
// Written as u + c * Laplacian(u), a float32 step rounds u back onto the same grid of floats every time.
// Where the change per step is a few units in the last place, the same cell rounds the same way step after
// step, and the error grows in proportion to the steps (measured: 1.7e-5 after 1000 steps of a smooth mode on
// 2000^2, c = 0.2).
//
// Instead the methods step v = g u, where g is a known number close to 1 that changes with every step:
//     v' = scale * (ratio * v + north + south + east + west),   ratio = (1 - 4c) / c,   g' = g * scale *
//     (ratio + 4)
// which is the same step exactly (divide by c, multiply by scale). One FFMA and three FADD, and the
// multiplication by scale, a power of two, is exact. As the mantissa of g wanders, roundings fall differently
// in every step and cancel instead of adding up. Nothing is ever scaled back in the field itself, only where
// it is read.
//
// Three details:
//  - ratio is rarely a simple number. A rounded one would be the ratio of a slightly different c, and with a
//    constant one flat regions fall into cycles of the same roundings. So it takes a different float near the
//    exact value in every step, and each makes up for the error of those before: the mean is exact, the
//    error of a step below 6e-7 of c, and where c is below 1/32 less than 2^-23 of the field.
//  - scale is 1 in most steps: g grows by ratio + 4 = 1/c in each, and is brought back near 1 in every fourth
//    step (in every step where 1/c is beyond 32). That saves a multiplication per cell, and it is always the
//    same steps, counted from the load, so that no method may round differently where calls are cut
//    differently.
//  - where a few such steps make g grow by nearly a power of two (one at c = 1/4, 1/8, ..., and two where c
//    times the root of two is such a number), its mantissa would come back to the same few values; there each
//    such step multiplies by 3 times a power of two.
// Relative 2-norm errors against float64 after 10000 steps, of flat fields and slow waves, over some 80000
// coefficients from 2e-7 to 0.25 drawn everywhere and around all places where the mantissa of g comes back to
// few values: 2.5e-6, at most 2.1e-5 (next to coefficients 2^-n). Without FMA 3.4e-6, at most 4.2e-5.
#pragma once

#include "kernels/field/cell_update.h"
#include "kernels/methods/inner_state.h"
#include "kernels/methods/mantissa64.h"

namespace stencil {

/// The sequence of weights of one field's steps, and the factor between its stored state and the field.
/// T is float or double.
template <class T>
class ScaledSteps {
  public:
    /// coefficient > 0 such that 1 / coefficient is finite in T.
    explicit ScaledSteps(double coefficient) { set_coefficient(coefficient); }

    /// From the next step on. The stored state stays as it is.
    void set_coefficient(double coefficient);
    double coefficient() const { return coefficient_; }

    /// The weights of the next step, which from then on counts as done.
    StepWeights<T> next();

    /// The field is the stored state times this: within [0.7, 1.5] after a step with a scale, within 2^-16
    /// and 2^16 always.
    double read_factor() const { return inverse(growth_); }

    /// The period of steps with a scale; that of all others is 1.
    static constexpr int kStepsPerScale = 4;
    int steps_per_scale() const { return steps_per_scale_; }

    /// Steps from now to the next scale, that step included (1 to steps_per_scale()).
    int steps_to_scale() const { return steps_per_scale_ - int(steps_ % steps_per_scale_); }

    /// How many times the field the stored state, or what a step passes through, may become with this
    /// coefficient from the next step on.
    double largest_growth(double coefficient) const;

    /// A field was loaded: the stored state is the field.
    void restart();

    /// The place in the sequence. With resume() the weights from there on are those that followed; it is
    /// false, and changes nothing, where the numbers are not such a place.
    InnerNumbers numbers() const;
    bool resume(const InnerNumbers& numbers);

  private:
    T next_ratio();

    double coefficient_ = 0;
    double exact_ratio_ = 0;
    double dither_ = 0, grid_ = 0;  ///< of ratios that vary: half the range, and what they are multiples of
    bool vary_ratio_ = false;       ///< the exact ratio is no simple number
    int steps_per_scale_ = kStepsPerScale;
    bool multiply_by_3_ = false;  ///< some growth between scales is nearly a power of two
    double carried_error_ = 0;    ///< what the ratios so far fall short of the exact ones, summed
    long long steps_ = 0;
    Mantissa64 growth_;
};

extern template class ScaledSteps<float>;
extern template class ScaledSteps<double>;

}  // namespace stencil
