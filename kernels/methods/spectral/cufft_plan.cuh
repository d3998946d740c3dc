// Complex FFTs by cuFFT in either precision.
#pragma once

#include <cufft.h>

#include <string>
#include <utility>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_library.h"
#include "kernels/methods/spectral/spectral_axis.h"

namespace stencil {

inline const CudaLibrary& cufft() {
    static const CudaLibrary library("libcufft.so.", CUFFT_VER_MAJOR);
    return library;
}

#define CUFFT(name) LATE_FUNCTION(::stencil::cufft(), name)

/// Throws CudaError.
inline void check_cufft(cufftResult result, const std::string& what) {
    if (result == CUFFT_SUCCESS) return;
    const bool memory = result == CUFFT_ALLOC_FAILED;
    throw CudaError("cuFFT: " + what + ": " +
                    (memory ? std::string("not enough GPU memory") : "error " + std::to_string(int(result))));
}

/// Unnormalised in-place FFTs of `batch` contiguous rows of `length` numbers. The caller provides the
/// workspace, so that plans can share it.
template <class T>
class CufftPlan {
  public:
    CufftPlan(int length, int batch, cudaStream_t stream)
        : what_("FFTs of length " + std::to_string(length)) {
        check_cufft(CUFFT(cufftCreate)(&handle_), what_);
        try {
            check_cufft(CUFFT(cufftSetAutoAllocation)(handle_, 0), what_);
            long long size = length;
            check_cufft(
                CUFFT(cufftMakePlanMany64)(
                    handle_, 1, &size, nullptr, 1, size, nullptr, 1, size, kType, batch, &work_bytes_),
                what_);
            check_cufft(CUFFT(cufftSetStream)(handle_, stream), what_);
        } catch (...) {
            CUFFT(cufftDestroy)(handle_);
            throw;
        }
    }
    ~CufftPlan() { CUFFT(cufftDestroy)(handle_); }
    CufftPlan(const CufftPlan&) = delete;
    CufftPlan& operator=(const CufftPlan&) = delete;

    /// Bytes of the workspace.
    std::size_t work_bytes() const { return work_bytes_; }
    void work_in(void* memory) { check_cufft(CUFFT(cufftSetWorkArea)(handle_, memory), what_); }

    /// Enqueues the transforms. `direction` is CUFFT_FORWARD or CUFFT_INVERSE.
    void run(Complex<T>* rows, int direction) {
        if constexpr (sizeof(T) == sizeof(float)) {
            auto* numbers = reinterpret_cast<cufftComplex*>(rows);
            check_cufft(CUFFT(cufftExecC2C)(handle_, numbers, numbers, direction), what_);
        } else {
            auto* numbers = reinterpret_cast<cufftDoubleComplex*>(rows);
            check_cufft(CUFFT(cufftExecZ2Z)(handle_, numbers, numbers, direction), what_);
        }
    }

  private:
    static constexpr cufftType kType = sizeof(T) == sizeof(float) ? CUFFT_C2C : CUFFT_Z2Z;

    std::string what_;
    cufftHandle handle_ = 0;
    std::size_t work_bytes_ = 0;
};

}  // namespace stencil
