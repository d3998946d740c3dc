// One function on each element of one array, or on those of two.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"

namespace stencil {

inline constexpr int kMapThreads = 256;

// Arrays that start on 16 bytes. One vector for each thread: more of them were slower on an H200 at every
// size, because all threads of a block then wait for all its loads. What is left beyond the last whole vector
// falls to the first threads.
template <bool kTwo, class F, class T>
__global__ void __launch_bounds__(kMapThreads)
    map_kernel(F f, const T* a, const T* b, T* to, std::int64_t n) {
    using Vector = Pack<T>;
    const std::int64_t vectors = n / Vector::kCount;
    const std::int64_t i = std::int64_t(blockIdx.x) * kMapThreads + threadIdx.x;
    if (i < vectors) {
        const Vector from_a = reinterpret_cast<const Vector*>(a)[i];
        const Vector from_b = kTwo ? reinterpret_cast<const Vector*>(b)[i] : from_a;
        Vector result;
#pragma unroll
        for (int lane = 0; lane < Vector::kCount; ++lane) result[lane] = f.at(from_a[lane], from_b[lane]);
        reinterpret_cast<Vector*>(to)[i] = result;
    }
    const std::int64_t left = vectors * Vector::kCount + i;
    if (i < Vector::kCount && left < n) to[left] = f.at(a[left], kTwo ? b[left] : a[left]);
}

// Arrays at any address.
template <bool kTwo, class F, class T>
__global__ void __launch_bounds__(kMapThreads)
    map_any_kernel(F f, const T* a, const T* b, T* to, std::int64_t n) {
    const std::int64_t i = std::int64_t(blockIdx.x) * kMapThreads + threadIdx.x;
    if (i < n) to[i] = f.at(a[i], kTwo ? b[i] : a[i]);
}

/// to[i] = f.at(a[i], b[i]) for i < n; f.at(a[i], a[i]) where kTwo is false. Throws CudaError.
template <bool kTwo, class F, class T>
void enqueue_map(CudaStream& stream, F f, const T* a, const T* b, T* to, std::int64_t n) {
    if (n == 0) return;
    const bool aligned = are_aligned(16, a, kTwo ? b : a, to);
    const std::int64_t work = aligned ? std::max<std::int64_t>(n / Pack<T>::kCount, 1) : n;
    const auto blocks = unsigned(ceil_div(work, kMapThreads));
    if (aligned)
        map_kernel<kTwo><<<blocks, kMapThreads, 0, cuda_handle(stream)>>>(f, a, b, to, n);
    else
        map_any_kernel<kTwo><<<blocks, kMapThreads, 0, cuda_handle(stream)>>>(f, a, b, to, n);
    check_launch("map_kernel");
}

}  // namespace stencil
