// Copies of whole rows between global and shared memory that one thread starts and nobody waits in line for:
// Hopper's bulk copies. Elsewhere the warp copies 16 bytes a lane, asynchronously from compute capability 8.0
// on.
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

__device__ inline unsigned shared_address(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}

/// True in one thread of a converged warp.
__device__ inline bool elected() {
    unsigned is_it;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(is_it)::"memory");
    return is_it != 0;
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
    __device__ void wait(unsigned parity) {
        asm volatile(
            "{\n.reg .pred done;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
            "@!done bra AGAIN_%=;\n}" ::"r"(shared_address(&state)),
            "r"(parity)
            : "memory");
    }
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

}  // namespace stencil
