#include "kernels/examples/arrays/elementwise.h"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr int kThreads = 256;

// The library's functions are accurate for all numbers. Their branch for large arguments costs nothing if no
// argument is large, because memory is the limit (measured: sines without the branch take the same time).
template <Map kMap, class T>
__device__ T value_of(T a, T b) {
    if constexpr (kMap != Map::chain) return map_value(kMap, a, b);
    T sine, cosine;
    sincos(a, &sine, &cosine);
    return map_value(Map::choose, exp(sine * cosine));
}

// For arrays aligned to 16 bytes: one vector per thread. More vectors per thread were slower on an H200 at
// every size, because all threads of a block then wait for all its loads. The first threads also take the
// elements after the last whole vector.
template <Map kMap, class T>
__global__ void __launch_bounds__(kThreads) map_kernel(const T* a, const T* b, T* to, std::int64_t n) {
    constexpr bool kTwo = takes_two(kMap);
    using Vector = AlignedVector<T>;
    const std::int64_t vectors = n / Vector::kCount;
    const std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (i < vectors) {
        const Vector from_a = reinterpret_cast<const Vector*>(a)[i];
        const Vector from_b = kTwo ? reinterpret_cast<const Vector*>(b)[i] : from_a;
        Vector result;
#pragma unroll
        for (int lane = 0; lane < Vector::kCount; ++lane)
            result[lane] = value_of<kMap>(from_a[lane], from_b[lane]);
        reinterpret_cast<Vector*>(to)[i] = result;
    }
    const std::int64_t left = vectors * Vector::kCount + i;
    if (i < Vector::kCount && left < n) to[left] = value_of<kMap>(a[left], kTwo ? b[left] : a[left]);
}

// For arrays at any address.
template <Map kMap, class T>
__global__ void __launch_bounds__(kThreads) map_any_kernel(const T* a, const T* b, T* to, std::int64_t n) {
    const std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) to[i] = value_of<kMap>(a[i], takes_two(kMap) ? b[i] : a[i]);
}

template <Map kMap, class T>
void enqueue_map(CudaStream& stream, const T* a, const T* b, T* to, std::int64_t n) {
    const bool aligned = are_aligned(16, a, takes_two(kMap) ? b : a, to);
    const std::int64_t work = aligned ? std::max<std::int64_t>(n / AlignedVector<T>::kCount, 1) : n;
    const auto kernel = aligned ? map_kernel<kMap, T> : map_any_kernel<kMap, T>;
    kernel<<<unsigned(ceil_div(work, kThreads)), kThreads, 0, cuda_handle(stream)>>>(a, b, to, n);
    check_launch("map_kernel");
}

template <class T, Map kMap = Map::sine_of_line>
void enqueue_any_map(CudaStream& stream, Map map, const T* a, const T* b, T* to, std::int64_t n) {
    if (map == kMap) return enqueue_map<kMap>(stream, a, b, to, n);
    if constexpr (kMap != Map::sum) enqueue_any_map<T, Map(int(kMap) + 1)>(stream, map, a, b, to, n);
}

}  // namespace

template <class T>
void cuda_map(CudaStream& stream, Map map, const T* a, const T* b, T* to, std::int64_t n) {
    if (n > 0) enqueue_any_map(stream, map, a, b, to, n);
}

template void cuda_map<float>(CudaStream&, Map, const float*, const float*, float*, std::int64_t);
template void cuda_map<double>(CudaStream&, Map, const double*, const double*, double*, std::int64_t);

}  // namespace stencil
