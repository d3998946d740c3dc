#include "kernels/cuda/transfer.h"

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {

void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda_handle(stream)));
}

void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda_handle(stream)));
}

}  // namespace stencil
