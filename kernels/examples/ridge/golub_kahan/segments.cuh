// Products of the rows of a packed matrix (packed_rows.h) with a vector: a warp for each segment.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/examples/ridge/golub_kahan/packed_rows.h"

namespace stencil {

/// Packed rows on the device.
template <class T, class I>
struct PackedView {
    const RowSegment* segments = nullptr;
    const std::uint32_t* row_segments = nullptr;
    const T* value = nullptr;
    const I* column = nullptr;
};

/// The policy of the second-level cache for what is read: keep it, or evict it first.
struct CachePolicies {
    std::uint64_t keep = 0, pass = 0;
};

__device__ inline CachePolicies cache_policies() {
    CachePolicies policies;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policies.keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policies.pass));
#endif
    return policies;
}

__device__ inline float4 load16(const float4* p, [[maybe_unused]] std::uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    float4 v;
    asm("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(p), "l"(policy));
    return v;
#else
    return __ldcs(p);
#endif
}

__device__ inline uint2 load8(const uint2* p, [[maybe_unused]] std::uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    uint2 v;
    asm("ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
        : "=r"(v.x), "=r"(v.y)
        : "l"(p), "l"(policy));
    return v;
#else
    return __ldcs(p);
#endif
}

__device__ inline AlignedVector<float, 4> load_four(const float* p,
                                                    std::uint32_t group,
                                                    std::uint64_t policy) {
    const float4 v = load16(reinterpret_cast<const float4*>(p) + group, policy);
    return {{v.x, v.y, v.z, v.w}};
}
__device__ inline AlignedVector<double, 4> load_four(const double* p,
                                                     std::uint32_t group,
                                                     std::uint64_t policy) {
    AlignedVector<double, 4> four;
    for (int half = 0; half < 2; ++half) {
        const float4 v = load16(reinterpret_cast<const float4*>(p) + 2 * std::size_t(group) + half, policy);
        four[2 * half] = __hiloint2double(__float_as_int(v.y), __float_as_int(v.x));
        four[2 * half + 1] = __hiloint2double(__float_as_int(v.w), __float_as_int(v.z));
    }
    return four;
}
__device__ inline AlignedVector<std::uint16_t, 4> load_four(const std::uint16_t* p,
                                                            std::uint32_t group,
                                                            std::uint64_t policy) {
    const uint2 c = load8(reinterpret_cast<const uint2*>(p) + group, policy);
    return {{std::uint16_t(c.x), std::uint16_t(c.x >> 16), std::uint16_t(c.y), std::uint16_t(c.y >> 16)}};
}
__device__ inline AlignedVector<std::uint32_t, 4> load_four(const std::uint32_t* p,
                                                            std::uint32_t group,
                                                            std::uint64_t policy) {
    const float4 c = load16(reinterpret_cast<const float4*>(p) + group, policy);
    return {{__float_as_uint(c.x), __float_as_uint(c.y), __float_as_uint(c.z), __float_as_uint(c.w)}};
}

/// One thread's share of a segment.
template <class T, class I>
struct SegmentShare {
    static constexpr int kGroups = kSegmentGroups / 32;
    AlignedVector<T, 4> value[kGroups];
    AlignedVector<I, 4> column[kGroups];

    __device__ void load(const PackedView<T, I>& a, std::uint32_t segment, std::uint64_t policy) {
        const std::uint32_t lane = threadIdx.x % 32;
        const RowSegment place = a.segments[segment];
#pragma unroll
        for (int k = 0; k < kGroups; ++k) {
            const std::uint32_t group = lane + 32 * k;
            if (group < place.groups) {
                value[k] = load_four(a.value, place.group + group, policy);
                column[k] = load_four(a.column, place.group + group, policy);
            } else {
                value[k] = {};
                column[k] = {};
            }
        }
    }

    __device__ double dot(const double* x) const {
        double sums[kGroups] = {};
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int k = 0; k < kGroups; ++k) sums[k] = fma(double(value[k][i]), x[column[k][i]], sums[k]);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
};

/// A block's segments.
struct SegmentRange {
    std::uint32_t begin, end;
};

/// Sums of the range's segments with the vector x, by the block; the next segment is on its way while one is
/// summed. All of the matrix is larger than the second-level cache, and goes from there first.
template <class T, class I>
__device__ void sum_segments(const PackedView<T, I>& a,
                             const SegmentRange& range,
                             const double* x,
                             double* sums) {
    const std::uint32_t end = range.end, warps = blockDim.x / 32;
    const std::uint64_t policy = cache_policies().pass;
    std::uint32_t segment = range.begin + threadIdx.x / 32;
    SegmentShare<T, I> now;
    if (segment < end) now.load(a, segment, policy);
    while (segment < end) {
        const std::uint32_t next = segment + warps;
        SegmentShare<T, I> coming;
        if (next < end) coming.load(a, next, policy);
        const double sum = warp_sum(now.dot(x));
        if (threadIdx.x % 32 == 0) sums[segment] = sum;
        now = coming;
        segment = next;
    }
}

}  // namespace stencil
