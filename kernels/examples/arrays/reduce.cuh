// Sums of arrays by threads, warps and blocks.
#pragma once

#include <cstdint>

#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/examples/arrays/reduce.h"

namespace stencil {

inline constexpr int kReduceThreads = 256;
inline constexpr int kReduceBlocksPerMultiprocessor = 4;
inline constexpr int kMaxPartials = 4096;
inline constexpr int kWarp = 32;
inline constexpr int kVectorsAtOnce = 4;  ///< that a thread has under way

/// x[i] y[i] or, without y, x[i].
template <class T>
struct Terms {
    const T* x;
    const T* y;
    std::int64_t count;
};

/// Survives from launch to launch.
struct ReduceScratch {
    double partials[kMaxPartials];  ///< of type T, one to a block
    unsigned done;                  ///< blocks that have left theirs; 0 between launches
    std::uint64_t results;          ///< for the host so far
};

/// What the host looks at; `count` is written last.
struct HostSlot {
    double value;
    std::uint64_t count;
};

/// Where a result goes: to the device, or to the host.
template <class T>
struct Target {
    T* device;
    volatile HostSlot* host;
};

template <bool kTwo, class T>
__device__ T term(const Terms<T>& terms, std::int64_t i) {
    return kTwo ? terms.x[i] * terms.y[i] : terms.x[i];
}

// The part of one thread, where all arrays start on 16 bytes: kVectorsAtOnce vectors are under way before the
// first is added, and each of their lanes has a sum of its own.
template <bool kTwo, class T>
__device__ T sum_of_vectors(const Terms<T>& terms, std::int64_t first, std::int64_t stride) {
    using Vector = Pack<T>;
    const std::int64_t vectors = terms.count / Vector::kCount;
    const auto* x = reinterpret_cast<const Vector*>(terms.x);
    const auto* y = reinterpret_cast<const Vector*>(terms.y);
    T sums[Vector::kCount] = {};
    for (std::int64_t i = first; i < vectors; i += kVectorsAtOnce * stride) {
        Vector from_x[kVectorsAtOnce], from_y[kVectorsAtOnce];
#pragma unroll
        for (int k = 0; k < kVectorsAtOnce; ++k) {
            from_x[k] = i + k * stride < vectors ? x[i + k * stride] : Vector{};
            if constexpr (kTwo) from_y[k] = i + k * stride < vectors ? y[i + k * stride] : Vector{};
        }
#pragma unroll
        for (int lane = 0; lane < Vector::kCount; ++lane) {
            T four[kVectorsAtOnce];
#pragma unroll
            for (int k = 0; k < kVectorsAtOnce; ++k)
                four[k] = kTwo ? from_x[k][lane] * from_y[k][lane] : from_x[k][lane];
            sums[lane] += (four[0] + four[1]) + (four[2] + four[3]);
        }
    }
    T sum = sums[0] + sums[1];
    if constexpr (Vector::kCount == 4) sum += sums[2] + sums[3];
    const std::int64_t left = vectors * Vector::kCount + first;
    if (first < Vector::kCount && left < terms.count) sum += term<kTwo>(terms, left);
    return sum;
}

template <bool kTwo, class T>
__device__ T thread_sum(const Terms<T>& terms) {
    const std::int64_t first = std::int64_t(blockIdx.x) * kReduceThreads + threadIdx.x;
    const std::int64_t stride = std::int64_t(gridDim.x) * kReduceThreads;
    if (are_aligned(16, terms.x, kTwo ? terms.y : terms.x)) return sum_of_vectors<kTwo>(terms, first, stride);
    T sum = 0;
    for (std::int64_t i = first; i < terms.count; i += stride) sum += term<kTwo>(terms, i);
    return sum;
}

/// Partial sums of blocks, always in the same order; in thread 0 of the one block that adds them.
template <class T>
__device__ T sum_of_partials(const ReduceScratch* scratch, int blocks) {
    const T* partials = reinterpret_cast<const T*>(scratch->partials);
    T sum = 0;
    for (int i = int(threadIdx.x); i < blocks; i += kReduceThreads) sum += __ldcg(&partials[i]);
    return block_sum(sum);
}

template <bool kTwo, class T>
__global__ void __launch_bounds__(kReduceThreads) partial_kernel(Terms<T> terms, ReduceScratch* scratch) {
    const T sum = block_sum(thread_sum<kTwo>(terms));
    if (threadIdx.x == 0) reinterpret_cast<T*>(scratch->partials)[blockIdx.x] = sum;
}

template <class T>
__global__ void __launch_bounds__(kReduceThreads)
    finish_kernel(const ReduceScratch* scratch, int blocks, T* result) {
    const T sum = sum_of_partials<T>(scratch, blocks);
    if (threadIdx.x == 0) *result = sum;
}

// Only the block that finds all others done goes on, and what it adds is where each block left it: the order
// in which the blocks ended does not matter.
template <bool kTwo, class T>
__global__ void __launch_bounds__(kReduceThreads)
    last_block_kernel(Terms<T> terms, ReduceScratch* scratch, Target<T> to) {
    __shared__ bool last;
    const T own = block_sum(thread_sum<kTwo>(terms));
    if (threadIdx.x == 0) {
        reinterpret_cast<T*>(scratch->partials)[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(&scratch->done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    const T sum = sum_of_partials<T>(scratch, int(gridDim.x));
    if (threadIdx.x != 0) return;
    scratch->done = 0;
    if (!to.host) {
        *to.device = sum;
        return;
    }
    to.host->value = double(sum);
    __threadfence_system();
    to.host->count = ++scratch->results;
}

// A thread has one term, as in the tutorial.
template <ReductionStrategy kGathering, bool kTwo, class T>
__global__ void __launch_bounds__(kReduceThreads) atomic_kernel(Terms<T> terms, T* result) {
    const std::int64_t i = std::int64_t(blockIdx.x) * kReduceThreads + threadIdx.x;
    const bool has_term = i < terms.count;
    const T own = has_term ? term<kTwo>(terms, i) : T(0);
    if constexpr (kGathering == ReductionStrategy::atomic_per_thread) {
        if (has_term) atomicAdd(result, own);
    } else if constexpr (kGathering == ReductionStrategy::atomic_per_warp) {
        const T sum = warp_sum(own);
        if (threadIdx.x % kWarp == 0) atomicAdd(result, sum);
    } else {
        const T sum = block_sum(own);
        if (threadIdx.x == 0) atomicAdd(result, sum);
    }
}

}  // namespace stencil
