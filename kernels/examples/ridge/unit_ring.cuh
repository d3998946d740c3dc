// Units on their way to shared memory while others are summed, from one product to the next without a stop:
// what a warp will need does not depend on the vectors, so that the memory is busy while blocks wait for each
// other. Compute capability 9.0 and later (bulk copies that complete on a barrier).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/examples/ridge/units.cuh"

namespace stencil {

/// A unit's place in shared memory. Copies begin and end at 16 bytes, so that columns may
/// come with a group more at either end.
template <class T, class I>
struct UnitSlot {
    alignas(16) T value[kUnitGroups * kGroup];
    alignas(16) I column[(kUnitGroups + 2) * kGroup];
    std::uint64_t barrier;
    PackedUnit place;
};

/// Slots that each warp can have in so many bytes of shared memory; with fewer than two the ring gains
/// nothing.
template <class T, class I>
int ring_slots(std::size_t bytes, int warps) {
    constexpr int kMax = 4;
    return std::min(kMax, int(bytes / (sizeof(UnitSlot<T, I>) * std::size_t(warps))));
}

/// One warp's units in the order in which it sums them: those of one product, those of the other, and again.
template <class T, class I>
class UnitRing {
  public:
    /// `products` and their `ranges` stay where they are, best in shared memory. `steps`: of both products,
    /// of which the first lacks the first product where that `begins_second`.
    __device__ UnitRing(UnitSlot<T, I>* slots,
                        int slot_count,
                        const UnitsView<T, I>* products,
                        const UnitRange* ranges,
                        int steps,
                        bool begins_second)
        : slots_(slots), slot_count_(slot_count), products_(products), ranges_(ranges) {
#if __CUDA_ARCH__ >= 900
        if (lane() == 0) {
            for (int slot = 0; slot < slot_count_; ++slot)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&slots_[slot].barrier))
                             : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            const std::uint32_t first = units_of_warp(ranges_[0]), second = units_of_warp(ranges_[1]);
            left_ = std::uint32_t(steps) * (first + second) - (begins_second ? first : 0);
            product_ = begins_second ? 1 : 0;
            unit_ = ranges_[product_].begin + threadIdx.x / 32;
            find_place();
            for (int slot = 0; slot < slot_count_; ++slot) fetch(slot);
        }
        __syncwarp();
#endif
    }

    /// Sums of the range's units with the vector x, by the block.
    __device__ void sum_units(const UnitsView<T, I>&, const UnitRange& range, const double* x, double* sums) {
        const std::uint32_t warps = blockDim.x / 32;
        for (std::uint32_t unit = range.begin + threadIdx.x / 32; unit < range.end; unit += warps) {
            const double sum = warp_sum(take().dot(x));
            if (lane() == 0) sums[unit] = sum;
        }
    }

  private:
    // The next unit, to registers. Its slot takes the one that comes after all that are on their way.
    __device__ UnitShare<T, I> take() {
        UnitShare<T, I> share;
#if __CUDA_ARCH__ >= 900
        UnitSlot<T, I>& slot = slots_[slot_];
        wait(slot);
        share.load_shared(slot.value, slot.column + slot.place.group % 2 * kGroup, slot.place.groups);
        __syncwarp();
        if (lane() == 0) fetch(slot_);
        if (++slot_ == slot_count_) {
            slot_ = 0;
            parity_ ^= 1;
        }
#else
        share = {};
#endif
        return share;
    }

    static __device__ int lane() {
        return int(threadIdx.x % 32);
    }
    static __device__ std::uint32_t units_of_warp(const UnitRange& range) {
        const std::uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32;
        return (range.end - range.begin + warps - 1 - warp) / warps;
    }
    static __device__ std::uint32_t address(const void* shared) {
        return std::uint32_t(__cvta_generic_to_shared(shared));
    }

#if __CUDA_ARCH__ >= 900
    __device__ void wait(const UnitSlot<T, I>& slot) {
        std::uint32_t done = 0;
        while (done == 0)
            asm volatile(
                "{\n.reg .pred p;\n"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(address(&slot.barrier)), "r"(parity_)
                : "memory");
    }

    // Where the next unit lies: read long before it is needed.
    __device__ void find_place() {
        if (left_ == 0) return;
        while (unit_ >= ranges_[product_].end) {
            product_ ^= 1;
            unit_ = ranges_[product_].begin + threadIdx.x / 32;
        }
        place_ = products_[product_].units[unit_];
    }

    __device__ void fetch(int to) {
        if (left_ == 0) return;
        UnitSlot<T, I>& slot = slots_[to];
        const UnitsView<T, I>& a = products_[product_];
        const std::uint32_t early = place_.group % 2;
        const std::uint32_t values = place_.groups * kGroup * std::uint32_t(sizeof(T));
        const std::uint32_t columns =
            ((place_.groups + early) * kGroup * std::uint32_t(sizeof(I)) + 15) / 16 * 16;
        slot.place = place_;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&slot.barrier)),
                     "r"(values + columns)
                     : "memory");
        copy(slot.value, a.value + std::size_t(place_.group) * kGroup, values, slot);
        copy(slot.column, a.column + std::size_t(place_.group - early) * kGroup, columns, slot);
        unit_ += blockDim.x / 32;
        --left_;
        find_place();
    }

    __device__ void copy(void* to, const void* from, std::uint32_t bytes, const UnitSlot<T, I>& slot) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
            " [%0], [%1], %2, [%3], %4;" ::"r"(address(to)),
            "l"(from),
            "r"(bytes),
            "r"(address(&slot.barrier)),
            "l"(policy_)
            : "memory");
    }

    std::uint64_t policy_ = cache_policies().pass;
#endif
    UnitSlot<T, I>* slots_;
    int slot_count_;
    const UnitsView<T, I>* products_;
    const UnitRange* ranges_;
    std::uint32_t left_ = 0;
    PackedUnit place_;
    int product_ = 0;
    std::uint32_t unit_ = 0;
    int slot_ = 0;
    std::uint32_t parity_ = 0;
};

}  // namespace stencil
