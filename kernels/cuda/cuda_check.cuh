// Every CUDA call goes through CUDA_CHECK, and every launch is followed by check_launch().
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

[[noreturn]] inline void throw_cuda_error(cudaError_t error, const char* call) {
    throw CudaError(std::string("CUDA: ") + call + ": " + cudaGetErrorName(error) + " (" +
                    cudaGetErrorString(error) + ")");
}

inline void check_cuda(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // clear the error, or the next check would report it again
    throw_cuda_error(error, call);
}

inline void check_launch(const char* kernel) {
    check_cuda(cudaGetLastError(), kernel);
}

/// Also makes the stream's device current, for the runtime call that takes the handle.
inline cudaStream_t cuda_handle(const CudaStream& stream) {
    stream.use_device();
    return static_cast<cudaStream_t>(stream.handle());
}

}  // namespace stencil

#define CUDA_CHECK(call) ::stencil::check_cuda((call), #call)
