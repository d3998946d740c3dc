// Driver functions, found at run time, because linking libcuda would require a driver.
#pragma once

#include <cuda.h>

#include "kernels/cuda/cuda_check.cuh"

/// The function with its type from cuda.h, looked up at the first call. Throws CudaError if the driver lacks
/// it.
#define DRIVER(name)                                                                     \
    [] {                                                                                 \
        static const auto found = ::stencil::driver_function<decltype(&::name)>(#name);  \
        if (!found) throw ::stencil::CudaError("CUDA: the NVIDIA driver has no " #name); \
        return found;                                                                    \
    }()

namespace stencil {

/// The function as of CUDA 12.0; null if the driver lacks it.
template <class Function>
Function driver_function(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
    const bool there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    cudaGetLastError();
    return there ? reinterpret_cast<Function>(function) : nullptr;
}

inline void check_driver(CUresult error, const std::string& call) {
    if (error == CUDA_SUCCESS) return;
    const char *name = nullptr, *text = nullptr;
    DRIVER(cuGetErrorName)(error, &name);
    DRIVER(cuGetErrorString)(error, &text);
    throw CudaError("CUDA: " + call + ": " + (name ? name : "error " + std::to_string(int(error))) + " (" +
                    (text ? text : "?") + ")");
}

}  // namespace stencil
