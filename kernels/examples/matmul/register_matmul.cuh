// Matrix products from registers. A block of 256 threads computes 128x128 elements of C, a warp 32x64 and a
// thread 8x8 of them. Each step along k takes 8 + 8 numbers from shared memory, where tiles are
// double-buffered, for 64 multiply-adds.
#pragma once

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/field/divide.h"

namespace stencil::matmul::registers {

constexpr int kThreads = 256;
constexpr int kTile = 128;
constexpr int kThreadTile = 8;
constexpr int kWarpRows = 4 * kThreadTile, kWarpColumns = 8 * kThreadTile;  // 4x8 lanes
constexpr int kGroupRows = 12;  // vertically adjacent tiles scheduled together, so that the data they read
                                // stays in the cache

template <class T>
struct Sizes {
    static constexpr int kDepth = sizeof(T) == 4 ? 16 : 8;  // elements along k per tile
    static constexpr int kVector = AlignedVector<T>::kCount;
    static constexpr int kPitch = kTile + kVector;  // rows padded by 16 bytes, for fewer bank conflicts
    static constexpr int kLoads =
        kTile * kDepth / kThreads / kVector;  // vectors per thread, for either factor
};

// Up to kVector numbers; zeros beyond `count`.
template <class T, bool Vectors>
__device__ __forceinline__ AlignedVector<T> load(const T* from, std::int64_t count) {
    AlignedVector<T> all{};
    if (Vectors) {
        if (count > 0) all = *reinterpret_cast<const AlignedVector<T>*>(from);
    } else {
#pragma unroll
        for (int i = 0; i < Sizes<T>::kVector; ++i)
            if (i < count) all[i] = from[i];
    }
    return all;
}

template <class T>
struct Tiles {
    T a[2][Sizes<T>::kDepth][Sizes<T>::kPitch];  // transposed: numbers along m follow one another
    T b[2][Sizes<T>::kDepth][Sizes<T>::kPitch];
};

// A thread's share of the copy to shared memory; it is held in registers while the previous step is computed.
template <class T, bool Vectors>
struct GlobalToShared {
    using S = Sizes<T>;
    static constexpr int kAcross = S::kDepth / S::kVector;  // vectors per row of a tile of A
    static constexpr int kWide = kTile / S::kVector;        // vectors per row of a tile of B

    AlignedVector<T> a[S::kLoads], b[S::kLoads];

    __device__ __forceinline__ void fetch(const MatmulCall<T>& call,
                                          std::int64_t row,
                                          std::int64_t column,
                                          std::int64_t k) {
        const MatmulShape& s = call.shape;
        const int t = int(threadIdx.x);
#pragma unroll
        for (int i = 0; i < S::kLoads; ++i) {
            const int at = t + i * kThreads;
            const std::int64_t i_row = row + at / kAcross;
            const std::int64_t i_k = k + at % kAcross * S::kVector;
            a[i] = load<T, Vectors>(call.a + i_row * s.k + i_k, i_row < s.m ? s.k - i_k : 0);
            const std::int64_t j_k = k + at / kWide;
            const std::int64_t j_column = column + at % kWide * S::kVector;
            b[i] = load<T, Vectors>(call.b + j_k * s.n + j_column, j_k < s.k ? s.n - j_column : 0);
        }
    }

    __device__ __forceinline__ void put(Tiles<T>& tiles, int buffer) const {
        const int t = int(threadIdx.x);
#pragma unroll
        for (int i = 0; i < S::kLoads; ++i) {
            const int at = t + i * kThreads;
#pragma unroll
            for (int j = 0; j < S::kVector; ++j)
                tiles.a[buffer][at % kAcross * S::kVector + j][at / kAcross] = a[i][j];
            *reinterpret_cast<AlignedVector<T>*>(&tiles.b[buffer][at / kWide][at % kWide * S::kVector]) =
                b[i];
        }
    }
};

// A thread's 8 rows (or columns) are groups of one vector each; the groups are as far apart as all lanes
// together are wide.
template <class T>
__device__ __forceinline__ int offset(int i, int lanes, int lane) {
    constexpr int v = Sizes<T>::kVector;
    return i / v * lanes * v + lane * v + i % v;
}

template <class T>
__device__ __forceinline__ void multiply(const Tiles<T>& tiles,
                                         int buffer,
                                         T (&sums)[kThreadTile][kThreadTile]) {
    constexpr int v = Sizes<T>::kVector;
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    const int row = warp % 4 * kWarpRows, column = warp / 4 * kWarpColumns;
#pragma unroll
    for (int k = 0; k < Sizes<T>::kDepth; ++k) {
        AlignedVector<T> a[kThreadTile / v], b[kThreadTile / v];
#pragma unroll
        for (int i = 0; i < kThreadTile / v; ++i) {
            a[i] = *reinterpret_cast<const AlignedVector<T>*>(
                &tiles.a[buffer][k][row + offset<T>(i * v, 4, lane / 8)]);
            b[i] = *reinterpret_cast<const AlignedVector<T>*>(
                &tiles.b[buffer][k][column + offset<T>(i * v, 8, lane % 8)]);
        }
#pragma unroll
        for (int i = 0; i < kThreadTile; ++i)
#pragma unroll
            for (int j = 0; j < kThreadTile; ++j)
                sums[i][j] = fma(a[i / v][i % v], b[j / v][j % v], sums[i][j]);
    }
}

template <class T, bool Vectors>
__global__ void __launch_bounds__(kThreads, sizeof(T) == 4 ? 2 : 1) register_kernel(MatmulCall<T> call) {
    __shared__ Tiles<T> tiles;
    const MatmulShape& s = call.shape;
    const int columns = int(ceil_div(s.n, kTile)), rows = int(ceil_div(s.m, kTile));
    const int band = int(blockIdx.x) / (kGroupRows * columns);
    const int height = min(kGroupRows, rows - band * kGroupRows);
    const int within = int(blockIdx.x) - band * kGroupRows * columns;
    const std::int64_t row = std::int64_t(band * kGroupRows + within % height) * kTile;
    const std::int64_t column = std::int64_t(within / height) * kTile;

    T sums[kThreadTile][kThreadTile] = {};
    GlobalToShared<T, Vectors> to_shared;
    to_shared.fetch(call, row, column, 0);
    to_shared.put(tiles, 0);
    __syncthreads();
    int buffer = 0;
    for (std::int64_t k = Sizes<T>::kDepth; k < s.k; k += Sizes<T>::kDepth) {
        to_shared.fetch(call, row, column, k);
        multiply(tiles, buffer, sums);
        buffer ^= 1;
        to_shared.put(tiles, buffer);
        __syncthreads();
    }
    multiply(tiles, buffer, sums);

    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    const std::int64_t my_row = row + warp % 4 * kWarpRows, my_column = column + warp / 4 * kWarpColumns;
    constexpr int v = Sizes<T>::kVector;
#pragma unroll
    for (int i = 0; i < kThreadTile; ++i) {
        const std::int64_t c_row = my_row + offset<T>(i, 4, lane / 8);
        if (c_row >= s.m) continue;
#pragma unroll
        for (int j = 0; j < kThreadTile; j += v) {
            const std::int64_t c_column = my_column + offset<T>(j, 8, lane % 8);
            T* const c = call.c + c_row * s.n + c_column;
            AlignedVector<T> out;
#pragma unroll
            for (int l = 0; l < v; ++l) out[l] = sums[i][j + l];
            if (Vectors) {
                if (c_column < s.n) *reinterpret_cast<AlignedVector<T>*>(c) = out;
            } else {
#pragma unroll
                for (int l = 0; l < v; ++l)
                    if (c_column + l < s.n) c[l] = out[l];
            }
        }
    }
}

template <class T>
void register_matmul(const MatmulCall<T>& call, cudaStream_t stream) {
    const MatmulShape& s = call.shape;
    constexpr int v = Sizes<T>::kVector;
    const bool vectors = s.k % v == 0 && s.n % v == 0 && are_aligned(16, call.a, call.b, call.c);
    const auto blocks = unsigned(ceil_div(s.m, kTile) * ceil_div(s.n, kTile));
    const auto kernel = vectors ? register_kernel<T, true> : register_kernel<T, false>;
    kernel<<<blocks, kThreads, 0, stream>>>(call);
    check_launch("register_kernel");
}

}  // namespace stencil::matmul::registers
