// Arrays of values in device memory.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {

/// Copies values to the device and waits for the copy.
template <class V>
CudaMemory to_device(const std::vector<V>& values, CudaStream& stream) {
    CudaMemory memory(std::max<std::size_t>(1, values.size() * sizeof(V)));
    CUDA_CHECK(cudaMemcpyAsync(
        memory.data(), values.data(), values.size() * sizeof(V), cudaMemcpyDefault, cuda_handle(stream)));
    stream.synchronize();
    return memory;
}

template <class V>
V* as(const CudaMemory& memory) {
    return static_cast<V*>(memory.data());
}

}  // namespace stencil
