// Driver functions, found at run time, because linking libcuda would require a driver.
#pragma once

#include <cuda_runtime.h>

namespace stencil {

/// The function as of CUDA 12.0; null if the driver lacks it.
template <class Function>
Function driver_function(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    const bool there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    cudaGetLastError();
    return there ? reinterpret_cast<Function>(function) : nullptr;
}

}  // namespace stencil
