// Base of the methods that keep their state scaled.
#pragma once

#include <limits>

#include "kernels/methods/scaled_steps.h"
#include "kernels/methods/stepper.h"

namespace stencil {

/// Owns the sequence of weights (kernels/methods/scaled_steps.h), from which a method takes those of its
/// steps, and the factor between stored cells and field. Steps with a coefficient that does not permit
/// scaling leave the factor unchanged.
template <class T>
class ScaledStepper : public Stepper<T> {
  public:
    void restart() final { schedule_.restart(); }

    void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) final {
        if (steps == 0 || params.coefficient == 0) return;
        if (!ScaledSteps<T>::takes(params.coefficient)) return step_plainly(fields, params, steps);
        // Setting the same coefficient again would restart the dither.
        if (params.coefficient != schedule_.coefficient()) schedule_.set_coefficient(params.coefficient);
        step(fields, params.boundary, steps);
    }

    PlainView<T> plain(FieldView<T> stored) const final { return {stored, schedule_.read_factor()}; }

    double largest_value(const DiffusionParams& params) const final {
        if (!ScaledSteps<T>::takes(params.coefficient)) return this->kLargest;
        constexpr double kRange = double(std::numeric_limits<T>::max() / 2);
        const double growth = schedule_.largest_growth(params.coefficient);
        return growth < kRange ? kRange / growth : -1;
    }

    InnerNumbers numbers() const final { return schedule_.numbers(); }
    bool resume(const InnerNumbers& numbers) final { return schedule_.resume(numbers); }

  protected:
    /// Makes `steps` > 0 steps, each with the weights of one call of schedule().next().
    virtual void step(FieldPair<T>& fields, Boundary boundary, long long steps) = 0;
    /// Makes `steps` > 0 steps by step_cell_plainly().
    virtual void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) = 0;
    ScaledSteps<T>& schedule() { return schedule_; }

  private:
    ScaledSteps<T> schedule_{DiffusionParams{}.coefficient};
};

}  // namespace stencil
