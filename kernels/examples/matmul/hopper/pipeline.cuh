// Hopper's means for a pipeline of tensor core products: copies by the tensor memory accelerator (TMA) and
// the products of a warpgroup (wgmma), which <cuda/ptx> lacks: see the PTX ISA, "Asynchronous warpgroup level
// matrix instructions".
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "kernels/cuda/warp_pipeline.cuh"

namespace stencil::matmul::hopper {
#if STENCIL_BULK_COPIES

/// Which stage of a ring comes next, and whether its barrier has completed an even or odd number of times.
struct PipelineState {
    int stage = 0;
    unsigned phase = 0;
    __device__ void next(int stages) {
        if (++stage < stages) return;
        stage = 0;
        phase ^= 1;
    }
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}

/// Copies a box of a two-dimensional array; zeros where it reaches beyond.
__device__ __forceinline__ void tma_load_2d(
    void* to, const CUtensorMap& map, int column, int row, Mbarrier& barrier) {
    using namespace cuda::ptx;
    const int place[2] = {column, row};
    cp_async_bulk_tensor(space_cluster, space_global, to, &map, place, &barrier.state);
}

template <int Count>
__device__ __forceinline__ void warpgroup_reg_dealloc() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ __forceinline__ void warpgroup_reg_alloc() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

/// A barrier of the 128 threads of one of the warpgroups 0 and 1.
__device__ __forceinline__ void sync_warpgroup(int group) {
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}

/// Describes rows of 64 halves (128 bytes, swizzled by the TMA) to wgmma: groups of 8 rows are 1024 bytes
/// apart. 16 halves further along a row are 2 further in the description.
__device__ __forceinline__ unsigned long long make_smem_descriptor(unsigned address) {
    return (unsigned long long)((address & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ __forceinline__ void warpgroup_arrive() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most the given number of groups of products are under way.
template <int Pending>
__device__ __forceinline__ void warpgroup_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Keeps the compiler from moving what is done with the values across this place.
template <int Count>
__device__ __forceinline__ void warpgroup_fence_operand(float (&values)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(values[i])::"memory");
}

/// d (64 x 128, spread over the warpgroup) = [d +] A (64 x 16) B (128 x 16) transposed, halves in shared
/// memory, sums in float32.
__device__ __forceinline__ void add_product(float (&d)[64],
                                            unsigned long long a,
                                            unsigned long long b,
                                            bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
        "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "
        "%41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, "
        "%61, %62, %63}, "
        "%64, %65, add, 1, 1, 0, 0;\n"
        "}\n"
        // clang-format off
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        // clang-format on
        : "l"(a), "l"(b), "r"(int(add)));
}

#endif
}  // namespace stencil::matmul::hopper
