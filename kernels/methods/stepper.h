// What a method does with a field.
#pragma once

#include <utility>

#include "kernels/field/boundary.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/scaled_steps.h"

namespace stencil {

/// The double buffer: the state is in `front`, and `back` is scratch.
template <class T>
struct FieldPair {
    FieldView<T> front;
    FieldView<T> back;
    void swap() { std::swap(front, back); }
};

/// One method at work on one field; keeps what it needs between calls (rings, graphs, workspaces).
template <class T>
class Stepper {
  public:
    virtual ~Stepper() = default;

    /// Advances by `steps` (>= 0) explicit steps, every cell from the old field, with the true boundary at
    /// every step, and leaves the state in fields.front. How the steps are cut into calls changes no bit of
    /// the result, unless the method jumps: a jump is the steps' exact outcome rounded once, so that there is
    /// a rounding for every call. A method may leave the schedule as it is, and with it the state's scale. On
    /// CUDA it only enqueues the work. Throws CudaError there.
    virtual void advance(FieldPair<T>& fields,
                         Boundary boundary,
                         ScaledSteps<T>& schedule,
                         long long steps) = 0;

    /// Does ahead of time what would otherwise happen, and be measured, in the first steps.
    virtual void prepare(FieldPair<T>&, Boundary) {}
};

}  // namespace stencil
