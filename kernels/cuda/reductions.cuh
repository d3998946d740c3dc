// Reductions over a warp or block in a fixed order, hence bitwise reproducible.
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <type_traits>

namespace stencil {

/// Butterfly shuffle: the value of lane (own lane XOR `mask`). T is a number or a struct of 4-byte words.
template <class T>
__device__ __forceinline__ T other_lane(const T& value, int mask) {
    if constexpr (std::is_arithmetic_v<T>) {
        return __shfl_xor_sync(~0u, value, mask);
    } else {
        static_assert(sizeof(T) % sizeof(unsigned) == 0 && std::is_trivially_copyable_v<T>);
        unsigned words[sizeof(T) / sizeof(unsigned)];
        memcpy(words, &value, sizeof(T));
#pragma unroll
        for (unsigned& word : words) word = __shfl_xor_sync(~0u, word, mask);
        T other;
        memcpy(&other, words, sizeof(T));
        return other;
    }
}

/// Reduces over the warp, or over groups of `width` lanes (a power of two). All lanes must call it and get
/// the result.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op, int width = 32) {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
        if (mask < width) value = op(value, other_lane(value, mask));
    return value;
}

/// Reduces over a block of whole warps. All threads must call it and get the result. `thread` is the linear
/// thread index.
template <class T, class Op>
__device__ T block_reduce(T value, Op op, T neutral, int thread = int(threadIdx.x)) {
    __shared__ T of_warps[32];
    const int warps = int(blockDim.x * blockDim.y) / 32;
    value = warp_reduce(value, op);
    if (thread % 32 == 0) of_warps[thread / 32] = value;
    __syncthreads();
    value = warp_reduce(thread % 32 < warps ? of_warps[thread % 32] : neutral, op);
    __syncthreads();  // of_warps may be overwritten by the next call
    return value;
}

struct Plus {
    template <class T>
    __device__ T operator()(const T& a, const T& b) const {
        return a + b;
    }
    __device__ double2 operator()(const double2& a, const double2& b) const { return {a.x + b.x, a.y + b.y}; }
};

template <class T>
__device__ __forceinline__ T warp_sum(T value, int width = 32) {
    return warp_reduce(value, Plus(), width);
}

template <class T>
__device__ T block_sum(T value) {
    return block_reduce(value, Plus(), T{});
}

}  // namespace stencil
