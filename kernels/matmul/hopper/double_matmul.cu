// A block of 8 warps has 128x128 values of C, a warp 64x32 of them, in registers. Tiles of A and B come
// through shared memory, several steps ahead; an instruction multiplies 16x16 by 16x8 values, four times as
// many as those of earlier GPUs, and so takes less energy, which is what limits this product.

#include "kernels/matmul/hopper/double_matmul.cuh"

#include <algorithm>

#include "kernels/cuda_check.cuh"

namespace stencil {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 128;
constexpr int kDepth = 16;  // of k at a time
constexpr int kStages = 4;
constexpr int kWarpRows = 64, kWarpColumns = 32;
constexpr int kRowBlocks = kWarpRows / 16, kColumnBlocks = kWarpColumns / 8;
// The 16 lanes that are served at a time reach 16 different banks of 8 bytes.
constexpr int kPitchA = kDepth + 4, kPitchB = kTile + 4;
constexpr int kGroup =
    12;  // rows of tiles that are walked together, so that their operands stay in the L2 cache

struct Stage {
    double a[kTile][kPitchA];
    double b[kDepth][kPitchB];
};
constexpr int kSharedBytes = kStages * int(sizeof(Stage));

// `bytes` of 8 or 16 come from memory, the rest are zeros.
template <int Size>
__device__ __forceinline__ void copy_async(double* to, const double* from, int bytes) {
    const auto address = unsigned(__cvta_generic_to_shared(to));
    if constexpr (Size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(bytes));
}

// A row-major part of a matrix, `rows` x `columns` values that there are from its first on.
struct Part {
    const double* first;
    std::int64_t pitch;
    std::int64_t rows, columns;
};

// Vector: doubles that a thread copies at once.
template <int Vector, int Rows, int Columns, int Pitch>
__device__ __forceinline__ void fetch(double (&to)[Rows][Pitch], const Part& part) {
    constexpr int kAcross = Columns / Vector;
#pragma unroll
    for (int i = 0; i < Rows * kAcross / kThreads; ++i) {
        const int at = int(threadIdx.x) + i * kThreads;
        const int row = at / kAcross, column = at % kAcross * Vector;
        const bool there = row < part.rows && column < part.columns;
        const double* const from = there ? part.first + row * part.pitch + column : part.first;
        copy_async<Vector * 8>(&to[row][column], from, there ? Vector * 8 : 0);
    }
}

__device__ __forceinline__ void add_product(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]),
          "d"(a[1]),
          "d"(a[2]),
          "d"(a[3]),
          "d"(a[4]),
          "d"(a[5]),
          "d"(a[6]),
          "d"(a[7]),
          "d"(b[0]),
          "d"(b[1]),
          "d"(b[2]),
          "d"(b[3]));
}

using Sums = double[kRowBlocks][kColumnBlocks][4];

// Which numbers a lane holds is prescribed (PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point
// type").
__device__ __forceinline__ void multiply(const Stage& stage, int row, int column, Sums& sums) {
    const int group = int(threadIdx.x) % 32 / 4, lane = int(threadIdx.x) % 4;
    double b[kColumnBlocks][4];
#pragma unroll
    for (int j = 0; j < kColumnBlocks; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) b[j][i] = stage.b[lane + 4 * i][column + 8 * j + group];
#pragma unroll
    for (int r = 0; r < kRowBlocks; ++r) {
        double a[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) a[i] = stage.a[row + 16 * r + group + i % 2 * 8][lane + i / 2 * 4];
#pragma unroll
        for (int j = 0; j < kColumnBlocks; ++j) add_product(sums[r][j], a, b[j]);
    }
}

template <int Vector>
__device__ __forceinline__ void store(const MatmulCall<double>& call,
                                      std::int64_t row,
                                      std::int64_t column,
                                      const Sums& sums) {
#pragma unroll
    for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::int64_t at = row + 16 * r + 8 * half;
            if (at >= call.shape.m) continue;
#pragma unroll
            for (int j = 0; j < kColumnBlocks; ++j) {
                const std::int64_t first = column + 8 * j;
                double* const c = call.c + at * call.shape.n + first;
                double2 value{sums[r][j][2 * half], sums[r][j][2 * half + 1]};
                if (Vector == 2 && first < call.shape.n) {
                    const double2 old = call.accumulate ? *reinterpret_cast<double2*>(c) : double2{};
                    *reinterpret_cast<double2*>(c) = {value.x + old.x, value.y + old.y};
                }
                if (Vector == 1 && first < call.shape.n) c[0] = value.x + (call.accumulate ? c[0] : 0);
                if (Vector == 1 && first + 1 < call.shape.n) c[1] = value.y + (call.accumulate ? c[1] : 0);
            }
        }
}

template <int Vector>
__global__ void __launch_bounds__(kThreads, 1) double_kernel(MatmulCall<double> call) {
    extern __shared__ Stage stages[];
    const MatmulShape& s = call.shape;
    const int rows = int((s.m + kTile - 1) / kTile), columns = int((s.n + kTile - 1) / kTile);
    const int band = int(blockIdx.x) / (kGroup * columns);
    const int height = min(kGroup, rows - band * kGroup);
    const int within = int(blockIdx.x) - band * kGroup * columns;
    const std::int64_t row = std::int64_t(band * kGroup + within % height) * kTile;
    const std::int64_t column = std::int64_t(within / height) * kTile;
    const int steps = int((s.k + kDepth - 1) / kDepth);

    const auto fetch_step = [&](int step) {
        const std::int64_t k = std::int64_t(step) * kDepth;
        if (step < steps) {
            Stage& stage = stages[step % kStages];
            fetch<Vector, kTile, kDepth>(stage.a, {call.a + row * s.k + k, s.k, s.m - row, s.k - k});
            fetch<Vector, kDepth, kTile>(stage.b, {call.b + k * s.n + column, s.n, s.k - k, s.n - column});
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int step = 0; step < kStages - 1; ++step) fetch_step(step);
    const int warp = int(threadIdx.x) / 32;
    const int my_row = warp % 2 * kWarpRows, my_column = warp / 2 * kWarpColumns;
    Sums sums = {};
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
        __syncthreads();
        fetch_step(step + kStages - 1);
        multiply(stages[step % kStages], my_row, my_column, sums);
    }
    const int lane = int(threadIdx.x) % 32;
    store<Vector>(call, row + my_row + lane / 4, column + my_column + lane % 4 * 2, sums);
}

bool on_vectors(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(double2) == 0;
}

}  // namespace

bool has_hopper_double_matmul() {
    static const bool there = [] {
        cudaFuncAttributes attributes{};
        const bool found = cudaFuncGetAttributes(&attributes, double_kernel<1>) == cudaSuccess;
        cudaGetLastError();  // no image for this device is no error
        return found;
    }();
    return there;
}

void hopper_double_matmul(const MatmulCall<double>& call, cudaStream_t stream) {
    const MatmulShape& s = call.shape;
    const bool vectors =
        s.k % 2 == 0 && s.n % 2 == 0 && on_vectors(call.a) && on_vectors(call.b) && on_vectors(call.c);
    const auto kernel = vectors ? double_kernel<2> : double_kernel<1>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    const auto blocks = unsigned((s.m + kTile - 1) / kTile * ((s.n + kTile - 1) / kTile));
    kernel<<<blocks, kThreads, kSharedBytes, stream>>>(call);
    check_launch("double_kernel");
}

}  // namespace stencil
