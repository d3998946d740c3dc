// An einsum on the GPU: operands, intermediates and the result in one arena.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/device_arena.h"
#include "sim/examples/einsum/plan.h"

namespace stencil::einsum {

/// What a plan takes on the device, for elements of T, float or double.
template <class T>
struct GpuParts {
    GpuParts(DeviceArena& arena, const Plan& plan);

    std::vector<T*> operands;
    T *result, *scratch;
    void* workspace = nullptr;  ///< of cuBLAS, where matrices are multiplied
    void* sums;                 ///< what sums need beside their tensors
};

template <class T>
class GpuEinsum {
  public:
    /// Allocates arena_bytes<GpuParts<T>>(plan). `between` is called between parts of copies and between
    /// launches, and may throw. All arguments must outlive it. Throws CudaError, and MissingLibrary.
    GpuEinsum(const Plan& plan, CudaStream& stream, std::function<void()> between);

    /// Brings the operands to the device.
    void upload(std::span<const T* const> operands);
    /// Enqueues it the given number of times.
    void run(int times);
    /// The result, as many values as the plan's last tensor has.
    void fetch(T* result);

  private:
    void compute();

    const Plan& plan_;
    CudaStream& stream_;
    std::function<void()> between_;
    CudaMemory memory_;
    GpuParts<T> parts_;
    std::unique_ptr<EinsumArithmetic<T>> arithmetic_;
    std::optional<CudaGraph> sequence_;  ///< several repetitions
    int sequence_times_ = 0;
};

}  // namespace stencil::einsum
