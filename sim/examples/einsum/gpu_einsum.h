// An einsum on the GPU: all of it in place, or piece by piece past a memory that is too small.
#pragma once

#include <memory>
#include <span>

#include "sim/examples/einsum/slicing.h"

namespace stencil {
class CudaStream;
class ThreadPool;
}  // namespace stencil

namespace stencil::einsum {

/// Device memory that a plan's steps take beside its tensors.
template <class T>
StepBytes gpu_step_bytes();

template <class T>
class GpuEinsum {
  public:
    virtual ~GpuEinsum() = default;
    /// Brings all operands to the device. Where they are cut, run() does so.
    virtual void upload() = 0;
    /// Computes the given number of times. What is not cut is enqueued on the stream; otherwise it returns
    /// with the result in main memory.
    virtual void run(int times) = 0;
    /// The result, product of the output's shape values.
    virtual void fetch(T* result) = 0;
};

/// What a GpuEinsum works on and with; all of it must outlive it.
template <class T>
struct GpuEinsumSetting {
    const Slicing& slicing;
    std::span<const T* const> operands;  ///< in main memory
    CudaStream& stream;
    ThreadPool& threads;
    std::function<void()> between;  ///< called between pieces; may throw
};

/// Allocates slicing.bytes() of device memory. Throws CudaError.
template <class T>
std::unique_ptr<GpuEinsum<T>> make_gpu_einsum(const GpuEinsumSetting<T>& setting);

}  // namespace stencil::einsum
