// Owners of the handles of cuBLAS and cuSOLVER, and checks of what they return.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <string>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {

inline void check_library(int status, const char* call) {
    if (status != 0) throw CudaError(std::string("CUDA: ") + call + ": status " + std::to_string(status));
}

/// A handle with a workspace of its own, so that the library allocates none.
class CublasHandle {
  public:
    explicit CublasHandle(CudaStream& stream) : workspace_(kWorkspace) {
        check_library(cublasCreate(&handle_), "cublasCreate");
        check_library(cublasSetStream(handle_, cuda_handle(stream)), "cublasSetStream");
        check_library(cublasSetWorkspace(handle_, workspace_.data(), kWorkspace), "cublasSetWorkspace");
    }
    ~CublasHandle() { cublasDestroy(handle_); }
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;
    operator cublasHandle_t() const { return handle_; }

  private:
    static constexpr std::size_t kWorkspace = std::size_t(32) << 20;
    CudaMemory workspace_;
    cublasHandle_t handle_ = nullptr;
};

class CusolverHandle {
  public:
    explicit CusolverHandle(CudaStream& stream) {
        check_library(cusolverDnCreate(&handle_), "cusolverDnCreate");
        check_library(cusolverDnSetStream(handle_, cuda_handle(stream)), "cusolverDnSetStream");
    }
    ~CusolverHandle() { cusolverDnDestroy(handle_); }
    CusolverHandle(const CusolverHandle&) = delete;
    CusolverHandle& operator=(const CusolverHandle&) = delete;
    operator cusolverDnHandle_t() const { return handle_; }

  private:
    cusolverDnHandle_t handle_ = nullptr;
};

}  // namespace stencil

#define LIBRARY_CHECK(call) ::stencil::check_library(int(call), #call)
