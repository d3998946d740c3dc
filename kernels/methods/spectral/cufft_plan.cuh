// Complex FFTs by cuFFT in either precision.
#pragma once

#include <cufft.h>

#include <string>
#include <utility>
#include <vector>

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

/// Unnormalised in-place FFTs of `batch` contiguous rows of `length` numbers, or row-major arrays of these
/// sizes. The caller provides the workspace, so that plans can share it.
template <class T>
class CufftPlan {
  public:
    CufftPlan(int length, int batch, cudaStream_t stream)
        : CufftPlan(std::vector<long long>{length}, batch, stream) {}
    CufftPlan(std::vector<long long> sizes, int batch, cudaStream_t stream) {
        long long numbers = 1;
        for (const long long size : sizes) {
            what_ += (what_.empty() ? "FFTs of length " : " x ") + std::to_string(size);
            numbers *= size;
        }
        check_cufft(CUFFT(cufftCreate)(&handle_), what_);
        try {
            check_cufft(CUFFT(cufftSetAutoAllocation)(handle_, 0), what_);
            check_cufft(CUFFT(cufftMakePlanMany64)(handle_,
                                                   int(sizes.size()),
                                                   sizes.data(),
                                                   nullptr,
                                                   1,
                                                   numbers,
                                                   nullptr,
                                                   1,
                                                   numbers,
                                                   kType,
                                                   batch,
                                                   &work_bytes_),
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

/// Unnormalised FFTs of a row-major array of `columns` x `rows` real cells, with rows `pitch` cells apart, to
/// `columns / 2 + 1` complex numbers per row, or back. The caller provides the workspace.
template <class T>
class CufftRealPlan {
  public:
    /// `direction` is CUFFT_FORWARD or CUFFT_INVERSE.
    CufftRealPlan(int columns, int rows, int pitch, int direction, cudaStream_t stream)
        : CufftRealPlan(direction, std::to_string(columns) + "x" + std::to_string(rows)) {
        long long size[] = {rows, columns}, cells[] = {rows, pitch}, numbers[] = {rows, columns / 2 + 1};
        const bool forward = direction_ == CUFFT_FORWARD;
        long long *from = forward ? cells : numbers, *to = forward ? numbers : cells;
        const auto all = [&](const long long* array) { return array[0] * array[1]; };
        check_cufft(CUFFT(cufftSetAutoAllocation)(handle_, 0), what_);
        check_cufft(CUFFT(cufftMakePlanMany64)(
                        handle_, 2, size, from, 1, all(from), to, 1, all(to), type(), 1, &work_bytes_),
                    what_);
        check_cufft(CUFFT(cufftSetStream)(handle_, stream), what_);
    }
    ~CufftRealPlan() { CUFFT(cufftDestroy)(handle_); }
    CufftRealPlan(const CufftRealPlan&) = delete;
    CufftRealPlan& operator=(const CufftRealPlan&) = delete;

    std::size_t work_bytes() const { return work_bytes_; }
    void work_in(void* memory) { check_cufft(CUFFT(cufftSetWorkArea)(handle_, memory), what_); }

    /// Enqueues the transform. The inverse transform overwrites its input.
    void run(T* cells, Complex<T>* numbers) {
        const bool forward = direction_ == CUFFT_FORWARD;
        if constexpr (sizeof(T) == sizeof(float)) {
            auto* z = reinterpret_cast<cufftComplex*>(numbers);
            check_cufft(
                forward ? CUFFT(cufftExecR2C)(handle_, cells, z) : CUFFT(cufftExecC2R)(handle_, z, cells),
                what_);
        } else {
            auto* z = reinterpret_cast<cufftDoubleComplex*>(numbers);
            check_cufft(
                forward ? CUFFT(cufftExecD2Z)(handle_, cells, z) : CUFFT(cufftExecZ2D)(handle_, z, cells),
                what_);
        }
    }

  private:
    // A delegating constructor: once it is done, the destructor runs even if the outer constructor throws.
    CufftRealPlan(int direction, const std::string& size) : what_("FFTs of " + size), direction_(direction) {
        check_cufft(CUFFT(cufftCreate)(&handle_), what_);
    }

    cufftType type() const {
        const bool forward = direction_ == CUFFT_FORWARD;
        if constexpr (sizeof(T) == sizeof(float))
            return forward ? CUFFT_R2C : CUFFT_C2R;
        else
            return forward ? CUFFT_D2Z : CUFFT_Z2D;
    }

    std::string what_;
    int direction_;
    cufftHandle handle_ = 0;
    std::size_t work_bytes_ = 0;
};

}  // namespace stencil
