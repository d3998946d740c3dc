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
class CudaImplicitSolve : public RunsOperator<T> {
  public:
    /// `rows` is the shape of the local rows; several runs are of whole fields. Throws CudaError.
    CudaImplicitSolve(const LinearPart& part, FieldShape rows, const ExecutionSpace& on, int runs = 1);
    ~CudaImplicitSolve() override;
    CudaImplicitSolve(const CudaImplicitSolve&) = delete;
    CudaImplicitSolve& operator=(const CudaImplicitSolve&) = delete;

    /// Bytes of a run, at most, beside what does not grow with their number.
    static std::size_t bytes_of_run(const LinearPart& part, FieldShape shape);

    /// Takes effect at the next solve. Waits for the stream.
    void set_runs(const std::vector<std::vector<double>>& coefficients,
                  const std::vector<double>& dt,
                  ThreadPool* threads) override;
    void apply_runs(const std::vector<FieldView<T>>& from,
                    const std::vector<FieldView<T>>& to,
                    int runs) override;
    int together() const override;

  private:
    struct Transforms;
    std::unique_ptr<Transforms> transforms_;
};

}  // namespace stencil::equation
