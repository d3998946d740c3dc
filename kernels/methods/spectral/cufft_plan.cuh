// FFTs by cuFFT in either precision.
#pragma once

#include <cufft.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
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

constexpr int kCheckThreads = 256, kCheckBlocks = 2048;

// The same numbers of [-1, 1) for each run.
template <class T>
__global__ void __launch_bounds__(kCheckThreads)
    seed_kernel(T* values, std::int64_t of_run, std::int64_t count) {
    for (std::int64_t i = block_column() * kCheckThreads + std::int64_t(threadIdx.x); i < count;
         i += std::int64_t(gridDim.x) * kCheckThreads) {
        unsigned bits = unsigned(i % of_run) * 2654435761u;
        bits = (bits ^ bits >> 15) * 2246822519u;
        values[i] = T(int(bits ^ bits >> 13)) / T(2147483648.0);
    }
}

// Counts values that differ from those of the first run.
template <class T>
__global__ void __launch_bounds__(kCheckThreads)
    differences_kernel(const T* first, const T* values, std::int64_t of_run, std::int64_t count, int* found) {
    for (std::int64_t i = block_column() * kCheckThreads + std::int64_t(threadIdx.x); i < count;
         i += std::int64_t(gridDim.x) * kCheckThreads)
        if (values[i] != first[i % of_run]) atomicAdd(found, 1);
}

/// Runs whose arrays of so many bytes are transformed together and stay in L2.
inline int runs_of_chunk(std::size_t bytes_of_run, int runs) {
    constexpr std::size_t kBytes = std::size_t(16) << 20;
    return int(std::clamp<std::size_t>(kBytes / bytes_of_run, 1, std::size_t(runs)));
}

/// The most runs, up to `most`, whose arrays a plan transforms together with the bits of a plan for one run.
/// cuFFT chooses kernels, and with them roundings, by the number of arrays, so this is tried on numbers of
/// many digits: transform(runs, from, to) transforms arrays of `in` values per run to `out` values per run,
/// and waits.
template <class T, class Transform>
int runs_with_same_bits(
    int most, std::size_t in, std::size_t out, CudaStream& stream, const Transform& transform) {
    if (most == 1) return 1;
    const auto memory = [&](std::size_t values) { return CudaMemory(values * sizeof(T), stream.device()); };
    const auto runs = std::size_t(most);
    const CudaMemory from = memory(runs * in), to = memory(runs * out), single = memory(out);
    const auto values = [](const CudaMemory& its) { return static_cast<T*>(its.data()); };
    const auto seed = [&](std::size_t count) {
        seed_kernel<<<kCheckBlocks, kCheckThreads, 0, cuda_handle(stream)>>>(
            values(from), std::int64_t(in), std::int64_t(count * in));
        check_launch("seed_kernel");
    };
    seed(1);
    transform(1, values(from), values(single));
    for (int count = most; count > 1; count /= 2) {
        seed(std::size_t(count));
        transform(count, values(from), values(to));
        const CudaMemory found = uploaded(std::vector<int>{0}, stream);
        differences_kernel<<<kCheckBlocks, kCheckThreads, 0, cuda_handle(stream)>>>(
            values(single),
            values(to),
            std::int64_t(out),
            std::int64_t(std::size_t(count) * out),
            static_cast<int*>(found.data()));
        check_launch("differences_kernel");
        int differences = 0;
        copy_to_host({&differences, sizeof(int), found.data(), sizeof(int), sizeof(int), 1}, stream);
        if (differences == 0) return count;
    }
    return 1;
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
    /// `direction` is CUFFT_FORWARD or CUFFT_INVERSE; `arrays` of that size follow one another.
    CufftRealPlan(int columns, int rows, int pitch, int direction, cudaStream_t stream, int arrays = 1)
        : CufftRealPlan(direction, std::to_string(columns) + "x" + std::to_string(rows)) {
        long long size[] = {rows, columns}, cells[] = {rows, pitch}, numbers[] = {rows, columns / 2 + 1};
        const bool forward = direction_ == CUFFT_FORWARD;
        long long *from = forward ? cells : numbers, *to = forward ? numbers : cells;
        const auto all = [&](const long long* array) { return array[0] * array[1]; };
        check_cufft(CUFFT(cufftSetAutoAllocation)(handle_, 0), what_);
        check_cufft(CUFFT(cufftMakePlanMany64)(
                        handle_, 2, size, from, 1, all(from), to, 1, all(to), type(), arrays, &work_bytes_),
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
