// Warp specialisation: barriers in shared memory (mbarrier, from compute capability 8.0 on) and asynchronous
// copies between global and shared memory: of whole rows, started by one thread (cp.async.bulk, from 9.0 on),
// or of up to 16 bytes by every lane (cp.async, from 8.0 on). On 7.5 a polled counter replaces the barrier
// and a load and a store the copy.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

// Host code takes the first branches; all layouts have the same size.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define STENCIL_MBARRIERS 1
#else
#define STENCIL_MBARRIERS 0
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define STENCIL_BULK_COPIES 1
#else
#define STENCIL_BULK_COPIES 0
#endif

namespace stencil {

/// Keeps a warp-uniform value in one register, or hoists a shared-memory address (some twenty instructions)
/// out of a loop. nvcc does not know that they are uniform and recomputes them in every iteration.
__device__ __forceinline__ int warp_uniform(int value, int lane) {
    return __shfl_sync(~0U, lane == 0 ? value : 0, 0);
}
__device__ __forceinline__ unsigned char* warp_uniform(unsigned char* in_shared_memory) {
    unsigned address = unsigned(__cvta_generic_to_shared(in_shared_memory));
    asm volatile("mov.u32 %0, %0;" : "+r"(address));
    return static_cast<unsigned char*>(__cvta_shared_to_generic(address));
}

/// threadIdx.x, kept in a register; nvcc reads the special register again and again otherwise, which takes
/// some thirty cycles.
__device__ __forceinline__ int lane_of_warp() {
    int lane;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(lane));
    return lane;
}

#if STENCIL_MBARRIERS

/// An mbarrier in shared memory. A phase completes when `arrivals` threads have arrived and all announced
/// bytes have landed; the parity of phases alternates between 0 and 1.
struct Mbarrier {
    std::uint64_t state;

    __device__ __forceinline__ void init(int arrivals) {
        cuda::ptx::mbarrier_init(&state, std::uint32_t(arrivals));
    }
    __device__ __forceinline__ void arrive() { cuda::ptx::mbarrier_arrive(&state); }
#if STENCIL_BULK_COPIES
    /// mbarrier.arrive.expect_tx: arrives and announces the bytes that copies will deliver.
    __device__ __forceinline__ void expect(int bytes) {
        using namespace cuda::ptx;
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &state, std::uint32_t(bytes));
    }
#endif
    /// Arrives when the calling thread's cp.async so far have landed.
    __device__ __forceinline__ void arrive_after_copies() {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                         unsigned(__cvta_generic_to_shared(&state)))
                     : "memory");
    }
    /// Spins until the phase of this parity has completed.
    __device__ __forceinline__ void wait(unsigned parity) {
#if STENCIL_BULK_COPIES
        while (!cuda::ptx::mbarrier_try_wait_parity(&state, parity)) {
        }
#else
        while (!cuda::ptx::mbarrier_test_wait_parity(&state, parity)) {
        }
#endif
    }
};

#endif
#if STENCIL_BULK_COPIES

/// elect.sync: true in exactly one thread of a converged warp.
__device__ __forceinline__ bool elect_one() {
    unsigned is_it;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(is_it)::"memory");
    return is_it != 0;
}

/// Makes init() visible to the async proxy; needed before a copy uses a barrier.
__device__ __forceinline__ void fence_barrier_init() {
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

/// Bulk copy from global to shared memory. Addresses and size must be multiples of 16 bytes.
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
    using namespace cuda::ptx;
    cp_async_bulk(space_cluster, space_global, to, from, bytes, &barrier.state);
}

/// Makes the calling thread's writes to shared memory visible to a bulk store.
__device__ __forceinline__ void before_bulk_store() {
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, from, bytes);
}

/// Commits the stores since the last call as a group, and waits until all but the newest kNewest groups have
/// read shared memory. For the thread that started them.
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<kNewest>());
}

#endif

/// Copies kBytes (4, 8 or 16) from global to shared memory, asynchronously from 8.0 on.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
#if STENCIL_MBARRIERS
    const unsigned at = unsigned(__cvta_generic_to_shared(to));
    if constexpr (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(kBytes)
                     : "memory");
#else
    struct alignas(kBytes) Packet {
        unsigned words[kBytes / 4];
    };
    *static_cast<Packet*>(to) = *static_cast<const Packet*>(from);
#endif
}

/// Counts the batches that a warp has finished, for another warp to wait for. In shared memory.
class FullEmptyBarriers {
  public:
    /// `arrivals`: the lanes that arrive per batch, a whole warp or the one that starts copies.
    __device__ void init([[maybe_unused]] int arrivals) {
#if STENCIL_MBARRIERS
        barrier_.init(arrivals);
#else
        batches_ = 0;
#endif
    }

    /// All lanes call it when their reads and writes of the batch are done.
    __device__ void arrive() {
#if STENCIL_MBARRIERS
        barrier_.arrive();
#else
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0) batches_ = batches_ + 1;
#endif
    }

    /// Likewise, when their copy_async() of the batch have landed.
    __device__ void arrive_after_copies() {
#if STENCIL_MBARRIERS
        barrier_.arrive_after_copies();
#else
        arrive();
#endif
    }

#if STENCIL_BULK_COPIES
    /// The barrier that bulk copies complete on.
    __device__ Mbarrier& barrier() {
        return barrier_;
    }
#endif

    /// All lanes wait until `batch` + 1 batches are done (-1: no wait). An mbarrier compares only the phase's
    /// parity, so no further batch may be done by then.
    __device__ void wait(int batch) {
#if STENCIL_MBARRIERS
        barrier_.wait(unsigned(batch) & 1);
#else
        while (batches_ < std::uint64_t(batch + 1)) {
        }
        __syncwarp();
        __threadfence_block();
#endif
    }

  private:
#if STENCIL_MBARRIERS
    Mbarrier barrier_;
#else
    volatile std::uint64_t batches_;
#endif
};

}  // namespace stencil
