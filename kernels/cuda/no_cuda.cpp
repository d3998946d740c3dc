// Stands in for kernels/cuda/cuda_runtime.cu in a build without the CUDA toolkit.

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

CudaStatus query_cuda() {
    CudaStatus status;
    status.why_none = "this build has no CUDA backend";
    return status;
}

CudaMemoryInfo cuda_memory() {
    return {};
}

CudaMemory::CudaMemory(std::size_t) {
    throw CudaError("this build has no CUDA backend");
}

CudaHostMemory::CudaHostMemory(std::size_t) {
    throw CudaError("this build has no CUDA backend");
}

// There is never anything to free.
void CudaMemory::Free::operator()(void*) const {}
void CudaHostMemory::Free::operator()(void*) const {}

}  // namespace stencil
