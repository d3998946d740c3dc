// The linear systems of implicit steps and elliptic equations (kernels/equation/implicit_solve.h) on the GPU,
// by cuFFT.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/method.h"

namespace stencil::equation {

/// Like ImplicitSolve, up to the roundings of the transforms. Calls enqueue on the stream, and may be
/// captured in a graph unless the field is distributed.
template <class T>
class CudaImplicitSolve : public FieldOperator<T> {
  public:
    /// `rows` is the shape of the local rows. Throws CudaError.
    CudaImplicitSolve(const LinearPart& part, FieldShape rows, const ExecutionSpace& on);
    ~CudaImplicitSolve() override;
    CudaImplicitSolve(const CudaImplicitSolve&) = delete;
    CudaImplicitSolve& operator=(const CudaImplicitSolve&) = delete;

    /// Takes effect at the next solve. Waits for the stream.
    void set(const std::vector<double>& coefficients, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    struct Transforms;
    std::unique_ptr<Transforms> transforms_;
};

}  // namespace stencil::equation
