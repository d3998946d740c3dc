// Products of the rows of a packed matrix with a vector: a warp for each unit, and what is summed over a block.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "kernels/ridge/packed_rows.h"

namespace stencil {

/// Packed rows on the device.
template <class T, class I>
struct UnitsView {
    const PackedUnit* units = nullptr;
    const std::uint32_t* row_units = nullptr;
    const T* value = nullptr;
    const I* column = nullptr;
};

template <class T>
struct FourValues {
    T v[4];
};
template <class I>
struct FourColumns {
    I c[4];
};

__device__ inline FourValues<float> load_four(const float* p, std::uint32_t group) {
    const float4 v = __ldcs(reinterpret_cast<const float4*>(p) + group);
    return {{v.x, v.y, v.z, v.w}};
}
__device__ inline FourValues<double> load_four(const double* p, std::uint32_t group) {
    const double2 low = __ldcs(reinterpret_cast<const double2*>(p) + 2 * std::size_t(group));
    const double2 high = __ldcs(reinterpret_cast<const double2*>(p) + 2 * std::size_t(group) + 1);
    return {{low.x, low.y, high.x, high.y}};
}
__device__ inline FourColumns<std::uint16_t> load_four(const std::uint16_t* p, std::uint32_t group) {
    const ushort4 c = __ldcs(reinterpret_cast<const ushort4*>(p) + group);
    return {{c.x, c.y, c.z, c.w}};
}
__device__ inline FourColumns<std::uint32_t> load_four(const std::uint32_t* p, std::uint32_t group) {
    const uint4 c = __ldcs(reinterpret_cast<const uint4*>(p) + group);
    return {{c.x, c.y, c.z, c.w}};
}

/// One thread's share of a unit.
template <class T, class I>
struct UnitShare {
    static constexpr int kGroups = kUnitGroups / 32;
    FourValues<T> value[kGroups];
    FourColumns<I> column[kGroups];

    __device__ void load(const UnitsView<T, I>& a, std::uint32_t unit, int lane) {
        const PackedUnit place = a.units[unit];
#pragma unroll
        for (int k = 0; k < kGroups; ++k) {
            const std::uint32_t group = lane + 32 * k;
            if (group < place.groups) {
                value[k] = load_four(a.value, place.group + group);
                column[k] = load_four(a.column, place.group + group);
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
            for (int k = 0; k < kGroups; ++k)
                sums[k] = fma(double(value[k].v[i]), x[column[k].c[i]], sums[k]);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
};

__device__ inline double warp_sum(double value) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

/// Sums of units `begin` to `end` with the vector x, by the block. The next unit is on its way while one is
/// summed.
template <class T, class I>
__device__ void sum_units(
    const UnitsView<T, I>& a, std::uint32_t begin, std::uint32_t end, const double* x, double* sums) {
    const int lane = threadIdx.x % 32;
    const std::uint32_t warps = blockDim.x / 32;
    std::uint32_t unit = begin + threadIdx.x / 32;
    UnitShare<T, I> now;
    if (unit < end) now.load(a, unit, lane);
    while (unit < end) {
        const std::uint32_t next = unit + warps;
        UnitShare<T, I> coming;
        if (next < end) coming.load(a, next, lane);
        const double sum = warp_sum(now.dot(x));
        if (lane == 0) sums[unit] = sum;
        now = coming;
        unit = next;
    }
}

/// Two sums over the block, valid in its first thread. Ends with the block in step.
__device__ inline double2 block_sum(double2 value) {
    __shared__ double2 warps[32];
    value.x = warp_sum(value.x);
    value.y = warp_sum(value.y);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        const bool there = threadIdx.x < blockDim.x / 32;
        value.x = warp_sum(there ? warps[threadIdx.x].x : 0);
        value.y = warp_sum(there ? warps[threadIdx.x].y : 0);
    }
    __syncthreads();
    return value;
}

}  // namespace stencil
