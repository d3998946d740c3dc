#include "kernels/examples/matmul/hopper/half_product.cuh"

#include <algorithm>
#include <string>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/driver_function.cuh"
#include "kernels/examples/matmul/hopper/pipeline.cuh"
#include "kernels/field/divide.h"

namespace stencil::matmul::hopper {
#if STENCIL_BULK_COPIES
namespace {

constexpr int kStages = 3;
constexpr int kPartBytes = kHalfTile * kHalfDepth * int(sizeof(__half));  // one part of one factor
constexpr int kStageBytes = 4 * kPartBytes;                               // high and low of A and of B
constexpr int kThreads = 3 * 128;              // a warpgroup that fetches and two that multiply, 64 rows each
constexpr int kValues = kHalfTile * 64 / 128;  // of the tile, of a thread
constexpr int kGroup =
    12;  // rows of tiles that are walked together, so that their operands stay in the L2 cache

struct Shared {
    alignas(1024) unsigned char stages[kStages][kStageBytes];
    Mbarrier full[kStages];
    Mbarrier empty[kStages];
    float sums[2][4][kHalfTile];  // of columns, by warp
};
constexpr int kSharedBytes = int(sizeof(Shared)) + 1024;  // so that it can be aligned

struct Tiles {
    int rows, columns;
    __device__ int count() const { return rows * columns; }
    // Column by column within bands of kGroup rows.
    __device__ int2 at(int index) const {
        const int band = index / (kGroup * columns);
        const int height = min(kGroup, rows - band * kGroup);
        const int within = index - band * kGroup * columns;
        return {band * kGroup + within % height, within / height};
    }
};

__device__ void fetch(const CUtensorMap& a, const CUtensorMap& b, Shared& shared, Tiles tiles, int depth) {
    PipelineState turn;
    for (int index = int(blockIdx.x); index < tiles.count(); index += int(gridDim.x)) {
        const int2 tile = tiles.at(index);
        for (int k = 0; k < depth; k += kHalfDepth) {
            shared.empty[turn.stage].wait(turn.phase ^ 1);
            shared.full[turn.stage].expect(kStageBytes);
            unsigned char* to = shared.stages[turn.stage];
            tma_load_2d(to, a, k, tile.x * kHalfTile, shared.full[turn.stage]);
            tma_load_2d(to + kPartBytes, a, depth + k, tile.x * kHalfTile, shared.full[turn.stage]);
            tma_load_2d(to + 2 * kPartBytes, b, k, tile.y * kHalfTile, shared.full[turn.stage]);
            tma_load_2d(to + 3 * kPartBytes, b, depth + k, tile.y * kHalfTile, shared.full[turn.stage]);
            turn.next(kStages);
        }
    }
}

// Starts the three products of a stage into fresh sums, the small ones first: what the tensor cores cut off
// from a sum is then in proportion to them.
__device__ __forceinline__ void multiply(float (&sums)[kValues], const Shared& shared, int stage, int group) {
    const unsigned base = shared_address(shared.stages[stage]);
    const unsigned long long a_high = make_smem_descriptor(base + unsigned(group) * (kPartBytes / 2));
    const unsigned long long a_low =
        make_smem_descriptor(base + kPartBytes + unsigned(group) * (kPartBytes / 2));
    const unsigned long long b_high = make_smem_descriptor(base + 2 * kPartBytes);
    const unsigned long long b_low = make_smem_descriptor(base + 3 * kPartBytes);
    warpgroup_fence_operand(sums);
    warpgroup_arrive();
#pragma unroll
    for (int k = 0; k < 4; ++k) add_product(sums, a_low + 2 * k, b_high + 2 * k, k > 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) add_product(sums, a_high + 2 * k, b_low + 2 * k, true);
#pragma unroll
    for (int k = 0; k < 4; ++k) add_product(sums, a_high + 2 * k, b_high + 2 * k, true);
    warpgroup_commit();
}

__device__ __forceinline__ void add(float (&total)[kValues], float (&sums)[kValues]) {
    warpgroup_fence_operand(sums);
#pragma unroll
    for (int i = 0; i < kValues; ++i) total[i] += sums[i];
}

__device__ __forceinline__ float scaled(float value, int exponent) {
    const bool normal = exponent >= -126 && exponent <= 127;
    return normal ? value * __int_as_float((exponent + 127) << 23) : ldexpf(value, exponent);
}

// A warp's 16 rows of the tile are C's, its columns in pairs.
struct ThreadTile {
    int row, column;  // of the thread's first value
    int warp, lane;   // of the warpgroup
};

__device__ __forceinline__ void store(const HalfProduct& p, float (&total)[kValues], const ThreadTile& at) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = at.row + 8 * half;
        if (row >= int(p.shape.m)) {
#pragma unroll
            for (int j = 0; j < kValues / 4; ++j) total[4 * j + 2 * half] = total[4 * j + 2 * half + 1] = 0;
            continue;
        }
        const int row_exponent = p.a_exponents[row];
        float* c = p.c + std::int64_t(row) * p.shape.n;
#pragma unroll
        for (int j = 0; j < kValues / 4; ++j) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int column = at.column + 8 * j + i;
                float& value = total[4 * j + 2 * half + i];
                if (column >= int(p.shape.n)) continue;
                value = scaled(value, row_exponent + p.b_exponents[column]);
                c[column] = value;
            }
        }
    }
}

// Sums the columns of the warpgroup's 64 rows.
__device__ __forceinline__ void sum_columns(const HalfProduct& p,
                                            float (&total)[kValues],
                                            const ThreadTile& at,
                                            float (&sums)[4][kHalfTile],
                                            int sum_row) {
#pragma unroll
    for (int j = 0; j < kValues / 4; ++j) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float sum = total[4 * j + i] + total[4 * j + 2 + i];
            for (int offset = 4; offset < 32; offset *= 2) sum += __shfl_xor_sync(~0u, sum, offset);
            if (at.lane < 4) sums[at.warp][8 * j + 2 * at.lane + i] = sum;
        }
    }
    const int group = sum_row & 1;
    sync_warpgroup(group);
    const int mine = at.warp * 32 + at.lane;
    const int column = at.column - 2 * (at.lane % 4) + mine;
    if (column < int(p.shape.n))
        p.partial_sums[std::int64_t(sum_row) * p.shape.n + column] =
            (sums[0][mine] + sums[1][mine]) + (sums[2][mine] + sums[3][mine]);
    sync_warpgroup(group);
}

// The sums of one stage are added to the total with rounding, which the tensor cores' own additions lack:
// their cut-off bits would add up to a bias. Meanwhile the other warpgroup keeps the tensor cores busy.
__device__ void consume(const HalfProduct& p, Shared& shared, Tiles tiles, int group) {
    const int thread = int(threadIdx.x) % 128;
    const int steps = int(p.depth) / kHalfDepth;
    PipelineState turn;
    float total[kValues], sums[kValues];
    for (int index = int(blockIdx.x); index < tiles.count(); index += int(gridDim.x)) {
        const int2 tile = tiles.at(index);
#pragma unroll
        for (int i = 0; i < kValues; ++i) total[i] = 0;
        for (int step = 0; step < steps; ++step) {
            shared.full[turn.stage].wait(turn.phase);
            multiply(sums, shared, turn.stage, group);
            warpgroup_wait<0>();
            if (thread == 0) shared.empty[turn.stage].arrive();
            turn.next(kStages);
            add(total, sums);
        }
        const int warp = thread / 32, lane = thread % 32;
        const ThreadTile at{tile.x * kHalfTile + group * 64 + warp * 16 + lane / 4,
                            tile.y * kHalfTile + lane % 4 * 2,
                            warp,
                            lane};
        store(p, total, at);
        sum_columns(p, total, at, shared.sums[group], tile.x * 2 + group);
    }
}

__global__ void __launch_bounds__(kThreads) half_product_kernel(const __grid_constant__ CUtensorMap a,
                                                                const __grid_constant__ CUtensorMap b,
                                                                const HalfProduct p) {
    extern __shared__ unsigned char raw[];
    Shared& shared = *reinterpret_cast<Shared*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) / 1024 * 1024);
    const Tiles tiles{int(ceil_div(p.shape.m, kHalfTile)), int(ceil_div(p.shape.n, kHalfTile))};
    if (threadIdx.x == 0) {
        for (int i = 0; i < kStages; ++i) {
            shared.full[i].init(1);
            shared.empty[i].init(2);
        }
        fence_barrier_init();
    }
    __syncthreads();
    const int role = int(threadIdx.x) / 128;
    if (role == 0) {
        warpgroup_reg_dealloc<24>();
        if (threadIdx.x == 0) fetch(a, b, shared, tiles, int(p.depth));
    } else {
        warpgroup_reg_alloc<240>();
        consume(p, shared, tiles, role - 1);
    }
}

// The driver's function, without linking the driver; null where it has none.
auto tensor_map_encoder() {
    static const auto encoder = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    return encoder;
}

// Rows of halves that follow one another, to be copied in boxes of kHalfTile rows of 128 bytes.
CUtensorMap make_tensor_map(const __half* data, std::int64_t rows, std::int64_t columns) {
    CUtensorMap map;
    const cuuint64_t size[2] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[1] = {size[0] * sizeof(__half)};
    const cuuint32_t box[2] = {kHalfDepth, kHalfTile}, step[2] = {1, 1};
    const CUresult result = tensor_map_encoder()(&map,
                                                 CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                                 2,
                                                 const_cast<__half*>(data),
                                                 size,
                                                 pitch,
                                                 box,
                                                 step,
                                                 CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                 CU_TENSOR_MAP_SWIZZLE_128B,
                                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw CudaError("CUDA: cuTensorMapEncodeTiled: error " + std::to_string(int(result)));
    return map;
}

}  // namespace

bool has_half_product() {
    static const bool there = [] {
        cudaFuncAttributes attributes{};
        const bool image = cudaFuncGetAttributes(&attributes, half_product_kernel) == cudaSuccess;
        cudaGetLastError();  // no image for this device is no error
        return image && tensor_map_encoder() != nullptr;
    }();
    return there;
}

void half_product(const HalfProduct& product, cudaStream_t stream) {
    CUDA_CHECK(
        cudaFuncSetAttribute(half_product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    const MatmulShape& s = product.shape;
    const std::int64_t tiles = ceil_div(s.m, kHalfTile) * ceil_div(s.n, kHalfTile);
    const auto blocks = unsigned(std::min<std::int64_t>(tiles, multiprocessors()));
    half_product_kernel<<<blocks, kThreads, kSharedBytes, stream>>>(
        make_tensor_map(product.a, s.m, 2 * product.depth),
        make_tensor_map(product.b, s.n, 2 * product.depth),
        product);
    check_launch("half_product_kernel");
}

#else  // this CUDA toolkit is too old

bool has_half_product() {
    return false;
}

void half_product(const HalfProduct&, cudaStream_t) {}

#endif
}  // namespace stencil::matmul::hopper
