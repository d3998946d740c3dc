// Convolutions of a whole field with kernels (kernels/equation/convolution.h) on the GPU, by cuFFT.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/field_operator.h"
#include "kernels/equation/program.h"

namespace stencil::equation {

/// Like Convolution, up to the roundings of the transforms. Calls enqueue on the stream and may be captured
/// in a graph.
template <class T>
class CudaConvolution : public FieldOperator<T> {
  public:
    /// Throws CudaError.
    CudaConvolution(const LinearPart& part, int nx, int ny, CudaStream& stream);
    ~CudaConvolution() override;

    /// Waits for the stream if a kernel has changed.
    void set(const std::vector<double>& scalars, double dt) override;
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) override;

  private:
    struct Spectra;
    std::unique_ptr<Spectra> spectra_;
};

}  // namespace stencil::equation
