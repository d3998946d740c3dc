// Splits float32 matrices into pairs of halves for the tensor cores.
//
// A half has 11 significant bits. Each row of A and each column of B is scaled by a power of two that brings
// its largest value to [2^13, 2^14); then x = high + low with high = half(x) and low = half(x - high) but for
// 2^-23 of |x| or, for small x, 2^-38 of the largest. So a_i b_j = high high + high low + low high but for
// about 2^-22, and the products of halves are exact in float32.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"

namespace stencil::matmul::halves {

/// A row for each row of A, or for each column of B: both factors are read along k. Within a row, k is cut
/// into chunks, and a chunk has its parts one after the other.
struct HalfLayout {
    std::int64_t k = 0;      ///< numbers that there are
    std::int64_t chunk = 0;  ///< numbers of a chunk; those beyond k are zeros
    std::int64_t pitch = 0;  ///< halves from one row to the next
    int parts = 2;           ///< of a chunk
    int high = 0, low = 1;   ///< the parts' places
    int high_again = -1;     ///< where the high part is stored a second time; -1: nowhere
};

/// Zeros pad to whole chunks.
inline std::int64_t half_chunks(const HalfLayout& layout) {
    return ceil_div(layout.k, layout.chunk);
}

/// A (lines, layout.k) or B (layout.k, lines), row-major, to `halves` (lines, layout.pitch): column j of B
/// becomes row j. The products of line i are to be multiplied by 2^exponents[i] in the end.
struct Split {
    const float* from = nullptr;
    std::int64_t lines = 0;
    HalfLayout layout;
    __half* halves = nullptr;
    int* exponents = nullptr;
    unsigned* scratch = nullptr;  ///< of columns, for `lines` numbers
};

constexpr int kThreads = 256;
constexpr int kPerThread = 4;  // numbers along k that a thread writes at once
constexpr int kTile = 64;      // columns, and numbers along k, of a transposed block
constexpr int kMaxRows = 128;  // rows that a block looks through for the largest

/// To [2^13, 2^14), in two steps, because 2^exponent itself may be no float.
struct Scale {
    float first, second;
    int exponent;

    __device__ explicit Scale(float largest) : exponent(largest > 0 ? 13 - ilogbf(largest) : 0) {
        first = power(exponent / 2);
        second = power(exponent - exponent / 2);
    }
    __device__ static float power(int e) { return __int_as_float((e + 127) << 23); }
    __device__ float operator()(float x) const { return x * first * second; }
};

inline __device__ float finite_size(float x) {
    return isfinite(x) ? fabsf(x) : 0.f;
}

/// Four numbers from k on, k a multiple of four.
inline __device__ void write(const HalfLayout& layout,
                             __half* row,
                             std::int64_t k,
                             const float (&x)[kPerThread]) {
    AlignedVector<__half, kPerThread> high, low;
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        high[i] = __float2half_rn(x[i]);
        low[i] = __float2half_rn(x[i] - __half2float(high[i]));
    }
    const std::int64_t chunk = k / layout.chunk;
    __half* const to = row + chunk * layout.parts * layout.chunk + (k - chunk * layout.chunk);
    store_pack(to + layout.high * layout.chunk, high);
    store_pack(to + layout.low * layout.chunk, low);
    if (layout.high_again >= 0) store_pack(to + layout.high_again * layout.chunk, high);
}

/// A block has one row: the second time it comes from the cache.
template <bool Vectors>
__global__ void __launch_bounds__(kThreads) split_rows_kernel(Split split, std::int64_t padded) {
    const HalfLayout& layout = split.layout;
    const std::int64_t row = blockIdx.x;
    const float* const from = split.from + row * layout.k;
    const auto load = [&](std::int64_t k, float(&x)[kPerThread]) {
        if (Vectors) {
            const auto all = k < layout.k ? load_pack(from + k) : AlignedVector<float>{};
            for (int i = 0; i < kPerThread; ++i) x[i] = all[i];
        } else {
            for (int i = 0; i < kPerThread; ++i) x[i] = k + i < layout.k ? from[k + i] : 0;
        }
    };
    float largest = 0;
    float x[kPerThread];
    for (std::int64_t k = threadIdx.x * kPerThread; k < layout.k; k += kThreads * kPerThread) {
        load(k, x);
        for (int i = 0; i < kPerThread; ++i) largest = fmaxf(largest, finite_size(x[i]));
    }
    const Scale scale(block_reduce(
        largest, [](float a, float b) { return fmaxf(a, b); }, 0.f));
    for (std::int64_t k = threadIdx.x * kPerThread; k < padded; k += kThreads * kPerThread) {
        load(k, x);
        for (int i = 0; i < kPerThread; ++i) x[i] = scale(x[i]);
        write(layout, split.halves + row * layout.pitch, k, x);
    }
    if (threadIdx.x == 0) split.exponents[row] = -scale.exponent;
}

/// Sizes of floats are in the order of their bits, and the order of the blocks does not matter to a maximum.
__global__ void __launch_bounds__(kThreads)
    column_max_kernel(const float* b, std::int64_t rows, std::int64_t columns, unsigned* largest) {
    const std::int64_t column = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (column >= columns) return;
    const std::int64_t first = std::int64_t(blockIdx.y) * kMaxRows;
    const std::int64_t last = min(rows, first + kMaxRows);
    float mine = 0;
#pragma unroll 16
    for (std::int64_t k = first; k < last; ++k) mine = fmaxf(mine, finite_size(b[k * columns + column]));
    atomicMax(largest + column, __float_as_uint(mine));
}

__global__ void __launch_bounds__(kThreads) split_columns_kernel(Split split) {
    __shared__ float tile[kTile][kTile + 1];
    const std::int64_t first_k = std::int64_t(blockIdx.y) * kTile;
    const std::int64_t first = std::int64_t(blockIdx.x) * kTile;
    const int x = int(threadIdx.x) % kTile;
    for (int y = int(threadIdx.x) / kTile; y < kTile; y += kThreads / kTile) {
        const bool there = first_k + y < split.layout.k && first + x < split.lines;
        tile[y][x] = there ? split.from[(first_k + y) * split.lines + first + x] : 0;
    }
    __syncthreads();
    constexpr int kGroups = kTile / kPerThread;
    const int k = int(threadIdx.x) % kGroups * kPerThread;
    for (int j = int(threadIdx.x) / kGroups; j < kTile; j += kThreads / kGroups) {
        const std::int64_t column = first + j;
        if (column >= split.lines) return;
        const Scale scale(__uint_as_float(split.scratch[column]));
        float values[kPerThread];
        for (int i = 0; i < kPerThread; ++i) values[i] = scale(tile[k + i][j]);
        write(split.layout, split.halves + column * split.layout.pitch, first_k + k, values);
        if (first_k + k == 0) split.exponents[column] = -scale.exponent;
    }
}

/// Enqueues the split. Infinities and NaNs become NaNs. Throws CudaError.
inline void split_rows(const Split& split, cudaStream_t stream) {
    const std::int64_t padded = half_chunks(split.layout) * split.layout.chunk;
    const bool vectors = split.layout.k % kPerThread == 0 && are_aligned(16, split.from);
    const auto kernel = vectors ? split_rows_kernel<true> : split_rows_kernel<false>;
    kernel<<<unsigned(split.lines), kThreads, 0, stream>>>(split, padded);
    check_launch("split_rows_kernel");
}

/// Enqueues the split. Infinities and NaNs become NaNs. Throws CudaError.
inline void split_columns(const Split& split, cudaStream_t stream) {
    const std::int64_t padded = half_chunks(split.layout) * split.layout.chunk;
    CUDA_CHECK(cudaMemsetAsync(split.scratch, 0, std::size_t(split.lines) * sizeof(unsigned), stream));
    const dim3 looked(unsigned(ceil_div(split.lines, kThreads)),
                      unsigned(ceil_div(split.layout.k, kMaxRows)));
    column_max_kernel<<<looked, kThreads, 0, stream>>>(
        split.from, split.layout.k, split.lines, split.scratch);
    check_launch("column_max_kernel");
    const dim3 tiles(unsigned(ceil_div(split.lines, kTile)), unsigned(ceil_div(padded, kTile)));
    split_columns_kernel<<<tiles, kThreads, 0, stream>>>(split);
    check_launch("split_columns_kernel");
}

}  // namespace stencil::matmul::halves
