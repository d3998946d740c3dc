// An einsum on the GPU: operands, intermediates and the result in one block of device memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cuda/staged_copies.h"
#include "sim/examples/einsum/plan.h"

namespace stencil::einsum {

/// Where everything is in the block, in bytes.
struct GpuLayout {
    std::vector<std::size_t> operands;
    std::size_t result = 0, scratch = 0;
    std::size_t workspace = 0;  ///< of cuBLAS, where matrices are multiplied
    std::size_t sums = 0;       ///< what sums need beside their tensors
    std::size_t bytes = 0;
    bool multiplies_matrices = false;
};

/// For values of T, float or double.
template <class T>
GpuLayout gpu_layout(const Plan& plan);

template <class T>
class GpuEinsum {
  public:
    /// Allocates as much as gpu_layout() says. `between` is called between parts of copies and between
    /// launches, and may throw. All arguments must outlive it. Throws CudaError, and MissingLibrary.
    GpuEinsum(const Plan& plan, CudaStream& stream, ThreadPool& threads, std::function<void()> between);

    /// Brings the operands to the device.
    void upload(std::span<const T* const> operands);
    /// Enqueues it the given number of times.
    void run(int times);
    /// The result, as many values as the plan's last tensor has.
    void fetch(T* result);

  private:
    void compute();
    T* at(std::size_t bytes) const {
        return reinterpret_cast<T*>(static_cast<char*>(memory_.data()) + bytes);
    }

    const Plan& plan_;
    CudaStream& stream_;
    std::function<void()> between_;
    GpuLayout layout_;
    CudaMemory memory_;
    StagedCopies staged_;
    std::unique_ptr<EinsumArithmetic<T>> arithmetic_;
    std::optional<CudaGraph> sequence_;  ///< several repetitions
    int sequence_times_ = 0;
};

}  // namespace stencil::einsum
