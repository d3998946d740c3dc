// Vectorised loads and stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace stencil {

/// N elements, aligned such that the compiler uses the widest loads and stores: up to 16 bytes.
template <class T, int N = 16 / int(sizeof(T))>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) AlignedVector {
    static constexpr int kCount = N;
    T value[kCount];

    __host__ __device__ T& operator[](int i) { return value[i]; }
    __host__ __device__ const T& operator[](int i) const { return value[i]; }
};

/// Whether all addresses are multiples of `bytes`, a power of two.
template <class... P>
__host__ __device__ bool are_aligned(std::size_t bytes, const P*... p) {
    return ((reinterpret_cast<std::uintptr_t>(p) | ...) & (bytes - 1)) == 0;
}

/// Loads a pack that is read once, so that it displaces nothing else in the caches.
template <int N, class T>
__device__ AlignedVector<T, N> load_once(const T* from) {
    constexpr std::size_t kBytes = N * sizeof(T);
    using Word = std::conditional_t<kBytes % 16 == 0, int4, std::conditional_t<kBytes % 8 == 0, int2, int>>;
    Word words[kBytes / sizeof(Word)];
#pragma unroll
    for (std::size_t i = 0; i < kBytes / sizeof(Word); ++i)
        words[i] = __ldcs(reinterpret_cast<const Word*>(from) + i);
    AlignedVector<T, N> pack;
    memcpy(&pack, words, kBytes);
    return pack;
}

}  // namespace stencil
