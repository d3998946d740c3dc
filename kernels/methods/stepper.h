// What a method does with a field.
#pragma once

#include <limits>
#include <utility>

#include "kernels/field/diffusion_params.h"
#include "kernels/field/field_view.h"
#include "kernels/field/plain_view.h"
#include "kernels/methods/inner_state.h"

namespace stencil {

/// The double buffer: the state is in `front`, and `back` is scratch.
template <class T>
struct FieldPair {
    FieldView<T> front;
    FieldView<T> back;
    void swap() { std::swap(front, back); }
};

/// One method at work on one field; keeps what it needs between calls (rings, graphs, workspaces). The cells
/// that it stores may be another form of the field's; plain() says what they mean.
template <class T>
class Stepper {
  public:
    virtual ~Stepper() = default;

    /// The front was filled with a plain field, whose first step is the next one.
    virtual void restart() {}

    /// Does ahead of time what would otherwise happen, and be measured, in the first steps.
    virtual void prepare(FieldPair<T>&, Boundary) {}

    /// Advances by `steps` (>= 0) explicit steps, every cell from the old field, with the true boundary at
    /// every step, and leaves the state in fields.front. How the steps are cut into calls changes no bit of
    /// the result, unless the method jumps: a jump is the steps' exact outcome rounded once, so that there is
    /// a rounding for every call. On CUDA it only enqueues the work. Throws CudaError there.
    virtual void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) = 0;

    /// The field whose state after the steps so far is `stored`.
    virtual PlainView<T> plain(FieldView<T> stored) const { return stored; }

    /// The largest |value| of a field that the next steps with these parameters keep in the range of T, as
    /// long as they are stable; below 0 where there is none.
    virtual double largest_value(const DiffusionParams&) const { return kLargest; }

    /// What it goes on from beside the stored cells. resume() is false, and changes nothing, where the
    /// numbers are not of this method.
    virtual InnerNumbers numbers() const { return {}; }
    virtual bool resume(const InnerNumbers& numbers) { return numbers.empty(); }

  protected:
    /// A step adds up a few neighbours.
    static constexpr double kLargest = double(std::numeric_limits<T>::max() / 16);
};

}  // namespace stencil
