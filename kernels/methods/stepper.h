// The interface of a method: one stepper advances one field.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernels/field/diffusion_params.h"
#include "kernels/field/field_view.h"
#include "kernels/field/plain_view.h"
#include "kernels/methods/inner_state.h"

namespace stencil {

/// A double buffer: the state is in `front`; `back` is scratch.
template <class T>
struct FieldPair {
    FieldView<T> front;
    FieldView<T> back;
    void swap() { std::swap(front, back); }
};

/// How a method steps its field, where that depends on the field or the GPU.
struct StepPlan {
    std::string text = {};                ///< such as "4 warps a block"; empty if there is only one way
    std::string why_not = {};             ///< why it is not the fastest, in one line
    std::optional<int> steps_fused = {};  ///< if not Method::steps_fused
};

/// A method applied to one field, with what it keeps between calls (rings, graphs, workspaces). The stored
/// cells may be scaled; plain() gives a view of the unscaled field.
template <class T>
class Stepper {
  public:
    virtual ~Stepper() = default;

    /// Called after the front buffer was filled with an unscaled field: forget all state; the next step is
    /// step 0.
    virtual void restart() {}

    /// Does one-time work (graphs, plans) that would otherwise be timed with the first steps.
    virtual void prepare(FieldPair<T>&, Boundary) {}

    /// Of the steps that prepare() was called for.
    virtual StepPlan plan() const { return {}; }

    /// Advances by `steps` >= 0 explicit steps with the true boundary, and leaves the state in fields.front.
    /// The division into calls changes no bit, except for `spectral`, which rounds once per call. On CUDA
    /// only enqueues, and may throw CudaError.
    virtual void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) = 0;

    /// The unscaled view of `stored`, the state after the steps so far.
    virtual PlainView<T> plain(FieldView<T> stored) const { return stored; }

    /// The largest |value| for which the next stable steps do not overflow T; negative if there is none.
    virtual double largest_value(const DiffusionParams&) const { return kLargest; }

    /// State besides the cells, for checkpoints. resume() returns false and changes nothing if the numbers
    /// belong to another method.
    virtual InnerNumbers numbers() const { return {}; }
    virtual bool resume(const InnerNumbers& numbers) { return numbers.empty(); }

  protected:
    /// A margin for the sum of a few neighbours.
    static constexpr double kLargest = double(std::numeric_limits<T>::max() / 16);
};

}  // namespace stencil
