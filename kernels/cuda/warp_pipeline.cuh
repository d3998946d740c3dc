// How the warps of a block work as a pipeline: whose turn it is, and copies of whole rows between global and
// shared memory that one thread starts and nobody waits in line for (Hopper's bulk copies and barriers;
// elsewhere plain means that do the same).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace stencil {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define STENCIL_BULK_COPIES 1
#else
#define STENCIL_BULK_COPIES 0
#endif

#if STENCIL_BULK_COPIES

__device__ inline unsigned shared_address(const volatile void* p) {
    return unsigned(__cvta_generic_to_shared(const_cast<const void*>(p)));
}

/// True in one thread of a converged warp.
__device__ inline bool elected() {
    unsigned is_it;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(is_it)::"memory");
    return is_it != 0;
}

__device__ inline void wait_for_phase(unsigned barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

/// A barrier that completes a phase when the bytes announced to it have arrived.
struct ByteBarrier {
    std::uint64_t state;

    __device__ void init() {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&state)) : "memory");
    }
    __device__ void expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&state)),
                     "r"(bytes)
                     : "memory");
    }
    /// Phases alternate between parity 0 and 1.
    __device__ void wait(unsigned parity) { wait_for_phase(shared_address(&state), parity); }
};

/// After init(), before any copy uses it.
__device__ inline void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Addresses and size are multiples of 16 bytes.
__device__ inline void bulk_load(void* to, const void* from, unsigned bytes, ByteBarrier& barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)),
        "l"(from),
        "r"(bytes),
        "r"(shared_address(&barrier.state))
        : "memory");
}

/// Each thread that wrote shared memory calls this before a bulk store reads it.
__device__ inline void before_bulk_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void bulk_store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}

/// Closes the group of the stores since the last call, and waits until shared memory has been read for all
/// but the newest kNewest groups. In the thread that started them.
template <int kNewest>
__device__ inline void close_and_wait_for_stores() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read %0;" ::"n"(kNewest) : "memory");
}

#endif

/// In shared memory: the batches that a warp is through with, for another warp to wait for.
class Turn {
  public:
    __device__ void init() {
#if STENCIL_BULK_COPIES
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(shared_address(&state_)) : "memory");
#else
        state_ = 0;
#endif
    }

    /// By all lanes: what they have read and written so far is done.
    __device__ void arrive() {
#if STENCIL_BULK_COPIES
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&state_)) : "memory");
#else
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0) state_ = state_ + 1;
#endif
    }

    /// By all lanes, until there have been `turn` + 1 arrivals. On Hopper no more than turn + 2 may have
    /// been.
    __device__ void wait(int turn) {
#if STENCIL_BULK_COPIES
        wait_for_phase(shared_address(&state_), unsigned(turn) & 1);
#else
        while (state_ <= std::uint64_t(turn)) {
        }
        __syncwarp();
        __threadfence_block();
#endif
    }

  private:
    volatile std::uint64_t state_;
};

}  // namespace stencil
