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
class CudaConvolution : public RunsOperator<T> {
  public:
    /// Throws CudaError.
    CudaConvolution(const LinearPart& part, int nx, int ny, CudaStream& stream, int runs = 1);
    ~CudaConvolution() override;

    /// Bytes of a run, at most, beside what does not grow with their number.
    static std::size_t bytes_of_run(const LinearPart& part, int nx, int ny);

    /// Waits for the stream.
    void set_runs(const std::vector<std::vector<double>>& scalars,
                  const std::vector<double>& dt,
                  ThreadPool* threads) override;
    void apply_runs(const std::vector<FieldView<T>>& from,
                    const std::vector<FieldView<T>>& to,
                    int runs) override;
    int together() const override;

  private:
    struct Spectra;
    std::unique_ptr<Spectra> spectra_;
};

}  // namespace stencil::equation
