// One function on each element of one array, or on those of two.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {

inline constexpr int kMapThreads = 256;

/// 16 bytes: what a thread loads and stores at once.
template <class T>
struct alignas(16) MapVector {
    static constexpr int kLanes = 16 / int(sizeof(T));
    T lane[kLanes];
};

// Arrays that start on 16 bytes. One vector for each thread: more of them were slower on an H200 at every
// size, because all threads of a block then wait for all its loads. What is left beyond the last whole vector
// falls to the first threads.
template <bool kTwo, class F, class T>
__global__ void __launch_bounds__(kMapThreads)
    map_kernel(F f, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ to, std::int64_t n) {
    using Vector = MapVector<T>;
    const std::int64_t vectors = n / Vector::kLanes;
    const std::int64_t i = std::int64_t(blockIdx.x) * kMapThreads + threadIdx.x;
    if (i < vectors) {
        const Vector from_a = reinterpret_cast<const Vector*>(a)[i];
        const Vector from_b = kTwo ? reinterpret_cast<const Vector*>(b)[i] : from_a;
        Vector result;
#pragma unroll
        for (int lane = 0; lane < Vector::kLanes; ++lane)
            result.lane[lane] = f.at(from_a.lane[lane], from_b.lane[lane]);
        reinterpret_cast<Vector*>(to)[i] = result;
    }
    const std::int64_t left = vectors * Vector::kLanes + i;
    if (i < Vector::kLanes && left < n) to[left] = f.at(a[left], kTwo ? b[left] : a[left]);
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
    const auto address = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p); };
    const bool aligned = (address(a) | address(to) | (kTwo ? address(b) : 0)) % 16 == 0;
    const std::int64_t work = aligned ? std::max<std::int64_t>(n / MapVector<T>::kLanes, 1) : n;
    const auto blocks = unsigned((work + kMapThreads - 1) / kMapThreads);
    if (aligned)
        map_kernel<kTwo><<<blocks, kMapThreads, 0, cuda_handle(stream)>>>(f, a, b, to, n);
    else
        map_any_kernel<kTwo><<<blocks, kMapThreads, 0, cuda_handle(stream)>>>(f, a, b, to, n);
    check_launch("map_kernel");
}

}  // namespace stencil
