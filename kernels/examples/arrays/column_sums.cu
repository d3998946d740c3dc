// Column sums on CUDA in two stages: blocks sum slabs of rows, then the slabs' sums are added up.

#include "kernels/examples/arrays/column_sums.h"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr int kThreads = 128;
constexpr int kBlocksPerMultiprocessor = 4;

// Rows in flight per thread. With 4 blocks of 128 threads a multiprocessor has 128 KB in flight, more than an
// H200's memory latency needs; 8 rows and 6 blocks are 3 % slower.
constexpr int kRows = 16;

struct Slabs {
    std::int64_t rows;  // rows of the matrix
    std::int64_t columns;
    std::int64_t stride;
    std::int64_t rows_each;
    int count;
    int threads_x;  // adjacent threads along a row; the block's other threads take the next rows
};

// Sums a thread's rows: a few at a time in T, their sums in double.
template <bool Weighted, class T, int Width>
__device__ void sum_rows(const T* a, const T* weights, const Slabs& slabs, double (&total)[Width]) {
    using P = AlignedVector<T, Width>;
    const int step = kThreads / slabs.threads_x;
    const std::int64_t first = std::int64_t(blockIdx.y) * slabs.rows_each;
    const std::int64_t last = min(first + slabs.rows_each, slabs.rows);
    std::int64_t row = first + threadIdx.x / slabs.threads_x;
    const std::int64_t pitch = step * slabs.stride;
    const T* from = a + row * slabs.stride;
    for (; row < last; row += std::int64_t(kRows) * step) {
        P packs[kRows];
        T w[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const bool there = row + r * step < last;
            packs[r] = P{};
            if (there) packs[r] = load_once<Width>(from);
            from += pitch;
        }
        if (Weighted) {
#pragma unroll
            for (int r = 0; r < kRows; ++r)
                w[r] = row + r * step < last ? __ldg(weights + row + r * step) : T(0);
        }
#pragma unroll
        for (int x = 0; x < Width; ++x) {
            T even = 0, odd = 0;
#pragma unroll
            for (int r = 0; r < kRows; r += 2) {
                even = Weighted ? fma(w[r], packs[r].value[x], even) : even + packs[r].value[x];
                odd = Weighted ? fma(w[r + 1], packs[r + 1].value[x], odd) : odd + packs[r + 1].value[x];
            }
            total[x] += double(even + odd);
        }
    }
}

template <bool Weighted, class T, int Width>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    slab_kernel(const T* __restrict__ a, const T* __restrict__ weights, Slabs slabs, T* __restrict__ out) {
    const int x = int(threadIdx.x) % slabs.threads_x;
    const std::int64_t column = (std::int64_t(blockIdx.x) * slabs.threads_x + x) * Width;
    const int here = int(max(std::int64_t(0), min(std::int64_t(Width), slabs.columns - column)));
    double total[Width] = {};
    if (here == Width)
        sum_rows<Weighted>(a + column, weights, slabs, total);
    else
        for (int k = 0; k < here; ++k) {
            double one[1] = {0};
            sum_rows<Weighted>(a + column + k, weights, slabs, one);
            total[k] = one[0];
        }

    // Adds up the threads of the block that have the same columns, always in the same order.
    __shared__ double shared[kThreads * Width];
    if (slabs.threads_x < kThreads) {
        for (int k = 0; k < Width; ++k) shared[k * kThreads + int(threadIdx.x)] = total[k];
        __syncthreads();
        if (int(threadIdx.x) >= slabs.threads_x) return;
        for (int i = x + slabs.threads_x; i < kThreads; i += slabs.threads_x)
            for (int k = 0; k < Width; ++k) total[k] += shared[k * kThreads + i];
    }
    T* const target = out + std::int64_t(blockIdx.y) * slabs.columns + column;
    for (int k = 0; k < here; ++k) target[k] = T(total[k]);
}

constexpr int kAddColumns = 32, kAddRows = 16;

template <class T>
__global__ void __launch_bounds__(kAddColumns* kAddRows)
    add_kernel(const T* __restrict__ partial, int slabs, std::int64_t columns, T* __restrict__ sums) {
    const std::int64_t column = std::int64_t(blockIdx.x) * kAddColumns + threadIdx.x;
    double total = 0;
    if (column < columns) {
#pragma unroll 8
        for (int s = int(threadIdx.y); s < slabs; s += kAddRows)
            total += double(partial[s * columns + column]);
    }
    __shared__ double shared[kAddRows][kAddColumns];
    shared[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || column >= columns) return;
    for (int y = 1; y < kAddRows; ++y) total += shared[y][threadIdx.x];
    sums[column] = T(total);
}

// As many blocks as are resident at once, so that none is left for a second wave.
Slabs plan_slabs(const MatrixShape& shape, int width) {
    const std::int64_t packs = ceil_div(shape.columns, width);
    int threads_x = kThreads;
    while (threads_x / 2 >= packs) threads_x /= 2;
    const std::int64_t side_by_side = ceil_div(packs, threads_x);
    const std::int64_t wanted = kBlocksPerMultiprocessor * current_gpu_facts().multiprocessors / side_by_side;
    const std::int64_t least_rows = std::int64_t(kThreads / threads_x) * kRows;
    const std::int64_t count = std::max<std::int64_t>(1, std::min(wanted, ceil_div(shape.rows, least_rows)));
    const std::int64_t rows_each = std::max<std::int64_t>(1, ceil_div(shape.rows, count));
    return {shape.rows,
            shape.columns,
            shape.stride,
            rows_each,
            int(std::max<std::int64_t>(1, ceil_div(shape.rows, rows_each))),
            threads_x};
}

template <int Width, class T>
void launch(
    CudaStream& stream, const T* a, const MatrixShape& shape, const T* weights, T* sums, void* scratch) {
    const Slabs slabs = plan_slabs(shape, Width);
    T* const out = slabs.count == 1 ? sums : static_cast<T*>(scratch);
    const dim3 grid(unsigned(ceil_div(ceil_div(shape.columns, Width), slabs.threads_x)),
                    unsigned(slabs.count));
    if (weights)
        slab_kernel<true, T, Width><<<grid, kThreads, 0, cuda_handle(stream)>>>(a, weights, slabs, out);
    else
        slab_kernel<false, T, Width><<<grid, kThreads, 0, cuda_handle(stream)>>>(a, weights, slabs, out);
    check_launch("slab_kernel");
    if (slabs.count == 1) return;
    const dim3 threads(kAddColumns, kAddRows);
    add_kernel<<<unsigned(ceil_div(shape.columns, kAddColumns)), threads, 0, cuda_handle(stream)>>>(
        out, slabs.count, shape.columns, sums);
    check_launch("add_kernel");
}

bool aligned_to(std::size_t bytes, const void* a, std::size_t row_bytes) {
    return are_aligned(bytes, a) && row_bytes % bytes == 0;
}

}  // namespace

template <class T>
std::size_t cuda_column_sums_bytes(const MatrixShape& shape) {
    if (shape.columns == 0) return 0;
    constexpr int kWidest = 16 / sizeof(T);
    int most = 0;
    for (int width = 1; width <= kWidest; width *= 2) most = std::max(most, plan_slabs(shape, width).count);
    return std::size_t(most) * std::size_t(shape.columns) * sizeof(T);
}

template <class T>
void cuda_column_sums(
    CudaStream& stream, const T* a, const MatrixShape& shape, const T* weights, T* sums, void* scratch) {
    if (shape.columns == 0) return;
    const std::size_t row_bytes = std::size_t(shape.stride) * sizeof(T);
    if (aligned_to(16, a, row_bytes)) return launch<16 / sizeof(T)>(stream, a, shape, weights, sums, scratch);
    if constexpr (sizeof(T) == 4)
        if (aligned_to(8, a, row_bytes)) return launch<2>(stream, a, shape, weights, sums, scratch);
    launch<1>(stream, a, shape, weights, sums, scratch);
}

template std::size_t cuda_column_sums_bytes<float>(const MatrixShape&);
template std::size_t cuda_column_sums_bytes<double>(const MatrixShape&);
template void cuda_column_sums(CudaStream&, const float*, const MatrixShape&, const float*, float*, void*);
template void cuda_column_sums(CudaStream&, const double*, const MatrixShape&, const double*, double*, void*);

}  // namespace stencil
