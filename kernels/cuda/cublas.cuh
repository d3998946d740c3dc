// cuBLAS and cuBLASLt (in the same library), loaded lazily: every call goes through CUBLAS or CUBLAS_CHECK.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_library.h"

namespace stencil {

inline const CudaLibrary& cublas() {
    static const CudaLibrary library("libcublas.so.", CUBLAS_VER_MAJOR);
    return library;
}

#define CUBLAS(name) LATE_FUNCTION(::stencil::cublas(), name)
#define CUBLAS_CHECK(name, ...) ::stencil::check_cublas(CUBLAS(name)(__VA_ARGS__), #name)

inline void check_cublas(cublasStatus_t status, const char* name) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuBLAS: ") + name + ": " + CUBLAS(cublasGetStatusString)(status));
}

/// Bound to the stream and to the caller's workspace, so that cuBLAS allocates no memory.
class CublasHandle {
  public:
    CublasHandle(CudaStream& stream, void* workspace, std::size_t bytes) {
        CUBLAS_CHECK(cublasCreate, &handle_);
        CUBLAS_CHECK(cublasSetStream, handle_, cuda_handle(stream));
        CUBLAS_CHECK(cublasSetWorkspace, handle_, workspace, bytes);
    }
    ~CublasHandle() { CUBLAS(cublasDestroy)(handle_); }
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;
    operator cublasHandle_t() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

}  // namespace stencil
