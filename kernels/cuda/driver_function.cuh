// The driver's functions, without linking the driver: the program needs none to start.
#pragma once

#include <cuda_runtime.h>

namespace stencil {

/// As CUDA 12.0 has it; null where the driver lacks it.
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
