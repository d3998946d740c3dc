// How the warps of a block work as a pipeline: barriers in shared memory, and copies of whole rows between
// global and shared memory that one thread starts and no thread waits for in turn (Hopper's bulk copies and
// barriers by <cuda/ptx>; elsewhere plain means that do the same).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// <cuda/ptx> has all of it from CUDA 12.6 on; before, Hopper goes the way of older GPUs. The host's compiler
// takes the newer way, too: the sizes are the same.
#if CUDART_VERSION >= 12060 && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define STENCIL_BULK_COPIES 1
#include <cuda/ptx>
#else
#define STENCIL_BULK_COPIES 0
#endif

namespace stencil {

/// What is worked out once, before a loop, instead of again in each turn: the compiler does not know that a
/// value is the same in all lanes, nor that an address in shared memory takes as long to make as twenty
/// instructions.
__device__ __forceinline__ int settled(int value, int lane) {
    return __shfl_sync(~0U, lane == 0 ? value : 0, 0);
}
__device__ __forceinline__ unsigned char* settled(unsigned char* in_shared_memory) {
    unsigned address = unsigned(__cvta_generic_to_shared(in_shared_memory));
    asm volatile("mov.u32 %0, %0;" : "+r"(address));
    return static_cast<unsigned char*>(__cvta_shared_to_generic(address));
}

#if STENCIL_BULK_COPIES

/// True in one thread of a converged warp.
__device__ __forceinline__ bool elected() {
    unsigned is_it;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(is_it)::"memory");
    return is_it != 0;
}

/// In shared memory. A phase ends when `arrivals` threads have arrived and the bytes that they announced are
/// there; phases alternate between parity 0 and 1.
struct PhaseBarrier {
    std::uint64_t state;

    __device__ __forceinline__ void init(int arrivals) {
        cuda::ptx::mbarrier_init(&state, std::uint32_t(arrivals));
    }
    __device__ __forceinline__ void arrive() { cuda::ptx::mbarrier_arrive(&state); }
    /// Arrives and announces bytes of copies.
    __device__ __forceinline__ void expect(int bytes) {
        using namespace cuda::ptx;
        mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &state, std::uint32_t(bytes));
    }
    /// Until the phase of this parity has ended.
    __device__ __forceinline__ void wait(unsigned parity) {
        while (!cuda::ptx::mbarrier_try_wait_parity(&state, parity)) {
        }
    }
};

/// After init(), before any copy uses a barrier.
__device__ __forceinline__ void publish_barriers() {
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

/// Addresses and size are multiples of 16 bytes.
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, PhaseBarrier& barrier) {
    using namespace cuda::ptx;
    cp_async_bulk(space_cluster, space_global, to, from, bytes, &barrier.state);
}

/// Each thread that wrote shared memory calls this before a bulk store reads it.
__device__ __forceinline__ void before_bulk_store() {
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, from, bytes);
}

/// Closes the group of the stores since the last call, and waits until shared memory has been read for all
/// but the newest kNewest groups. In the thread that started them.
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<kNewest>());
}

#endif

/// In shared memory: the batches that a warp is through with, for another warp to wait for.
class Handoff {
  public:
    /// As many lanes arrive: all of a warp, or one that starts copies.
    __device__ void init([[maybe_unused]] int arrivals) {
#if STENCIL_BULK_COPIES
        barrier_.init(arrivals);
#else
        batches_ = 0;
#endif
    }

    /// By all lanes: what they have read and written so far is done.
    __device__ void arrive() {
#if STENCIL_BULK_COPIES
        barrier_.arrive();
#else
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0) batches_ = batches_ + 1;
#endif
    }

#if STENCIL_BULK_COPIES
    /// For copies to arrive at.
    __device__ PhaseBarrier& barrier() {
        return barrier_;
    }
#endif

    /// By all lanes, until `batch` + 1 batches are done; none for -1. On Hopper no more than batch + 2 may
    /// be.
    __device__ void wait(int batch) {
#if STENCIL_BULK_COPIES
        barrier_.wait(unsigned(batch) & 1);
#else
        while (batches_ < std::uint64_t(batch + 1)) {
        }
        __syncwarp();
        __threadfence_block();
#endif
    }

  private:
#if STENCIL_BULK_COPIES
    PhaseBarrier barrier_;
#else
    volatile std::uint64_t batches_;
#endif
};

}  // namespace stencil
