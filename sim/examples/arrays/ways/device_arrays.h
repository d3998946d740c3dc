// Arrays in GPU memory, and whether they fit there.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

class ExampleContext;

/// Bytes of GPU memory that `arrays` arrays of n elements take, each of them on 256 elements.
double device_array_bytes(int arrays, std::int64_t n, std::size_t element_bytes);

/// Throws MachineError where `arrays` of n elements and `beside` further bytes do not fit into the GPU memory
/// that the context allows: what is needed, what there is and how many elements fit. Nothing where no GPU is
/// used.
void require_gpu_memory(
    const ExampleContext& context, int arrays, std::int64_t n, std::size_t element_bytes, double beside);

#if STENCILSCOPE_HAS_CUDA

/// Arrays of one length in one piece of GPU memory.
template <class T>
class DeviceArrays {
  public:
    DeviceArrays(int count, std::int64_t length);
    T* at(int i) const { return static_cast<T*>(memory_.data()) + i * pitch_; }

  private:
    std::int64_t pitch_;
    CudaMemory memory_;
};

/// Between the host's ordinary memory and the device; waits. Throws CudaError, Cancelled.
void upload(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream);
void download(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream);

#endif

}  // namespace stencil
