// The GPU's side: sums in one pass, products, and cuBLAS.
// Which kernel takes which layout:
//
//     sum of rows (inner.count == 1)    row_kernel: `threads` neighbours share a row; of few rows, each is
//                                       cut into parts, which a second launch adds up
//     any other sum                     any_kernel: a thread for each sum
//     copy, x contiguous in the         transpose_kernel: tiles through shared memory, so that reads and
//     output, y in the input            writes are both contiguous
//     any other product or copy         product_kernel: a thread has 4 neighbours along the last axis
#include <algorithm>

#include "kernels/cuda/cublas.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/einsum/arithmetic.h"
#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

constexpr int kThreads = 256;
constexpr int kLoadsInFlight = 8;
constexpr int kGroup = 4;

/// How rows are summed: each by `threads` adjacent threads, and if there are few rows, each in `parts`.
struct RowPlan {
    int threads = 1;
    int parts = 1;
    std::int64_t part_length = 0;
};

// A few threads, at most a warp, for a short row; a block for a long one.
int threads_for(std::int64_t length) {
    int threads = 1;
    while (threads < 32 && threads * 8 <= length) threads *= 2;
    return length >= 8192 ? kThreads : threads;
}

RowPlan plan_rows(const SumShape& shape) {
    const std::int64_t length = shape.reduced.count;
    RowPlan plan;
    plan.threads = threads_for(length);
    const std::int64_t blocks = ceil_div(shape.outer.count * plan.threads, kThreads);
    // As many parts as keep the device busy, but none shorter than what a block reads at a time.
    const std::int64_t wanted = ceil_div(std::int64_t(multiprocessors()) * 16, blocks);
    const std::int64_t most = ceil_div(length, std::int64_t(kThreads) * kLoadsInFlight * 2);
    plan.parts = int(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(most, 1)));
    plan.part_length = std::max<std::int64_t>(ceil_div(length, plan.parts), 1);
    plan.parts = int(std::max<std::int64_t>(ceil_div(length, plan.part_length), 1));
    return plan;
}

// Sums a few values at a time in T, and their sums in double.
template <bool Weighted, class T>
__global__ void __launch_bounds__(kThreads) row_kernel(const T* __restrict__ a,
                                                       const T* __restrict__ weights,
                                                       SumShape shape,
                                                       RowPlan plan,
                                                       T* __restrict__ out) {
    const int lane = int(threadIdx.x) % plan.threads;
    const std::int64_t row =
        std::int64_t(blockIdx.x) * (kThreads / plan.threads) + int(threadIdx.x) / plan.threads;
    double total = 0;
    if (row < shape.outer.count) {
        const std::int64_t begin = std::int64_t(blockIdx.y) * plan.part_length + lane;
        const std::int64_t end = min(begin - lane + plan.part_length, shape.reduced.count);
        const std::int64_t step = plan.threads * shape.reduced.stride;
        const T* from = a + row * shape.outer.stride + begin * shape.reduced.stride;
        const T* w = Weighted ? weights + row * shape.weight_outer + begin : nullptr;
        std::int64_t k = begin;
        for (; k + (kLoadsInFlight - 1) * plan.threads < end; k += kLoadsInFlight * plan.threads) {
            T values[kLoadsInFlight], factors[kLoadsInFlight];
#pragma unroll
            for (int u = 0; u < kLoadsInFlight; ++u) {
                values[u] = *from;
                from += step;
                if (!Weighted) continue;
                factors[u] = *w;
                w += plan.threads;
            }
            T sum = 0;
#pragma unroll
            for (int u = 0; u < kLoadsInFlight; ++u)
                sum = Weighted ? fma(factors[u], values[u], sum) : sum + values[u];
            total += double(sum);
        }
        for (; k < end; k += plan.threads) {
            total += Weighted ? double(*from) * double(*w) : double(*from);
            from += step;
            if (Weighted) w += plan.threads;
        }
    }
    total = plan.threads > 32 ? block_sum(total) : warp_sum(total, plan.threads);
    if (lane == 0 && row < shape.outer.count) out[row * plan.parts + blockIdx.y] = T(total);
}

// One thread per sum; adjacent threads read adjacent values.
template <class T>
__global__ void __launch_bounds__(kThreads)
    any_kernel(const T* __restrict__ a, const T* __restrict__ weights, SumShape shape, T* __restrict__ out) {
    const std::int64_t count = shape.outer.count * shape.inner.count;
    for (std::int64_t x = std::int64_t(blockIdx.x) * kThreads + threadIdx.x; x < count;
         x += std::int64_t(gridDim.x) * kThreads) {
        const T* const from =
            a + x / shape.inner.count * shape.outer.stride + x % shape.inner.count * shape.inner.stride;
        const T* const own = weights ? weights + x / shape.inner.count * shape.weight_outer : nullptr;
        double total = 0;
        for (std::int64_t r = 0; r < shape.reduced.count; r += kLoadsInFlight) {
            T sum = 0;
#pragma unroll
            for (int u = 0; u < kLoadsInFlight; ++u) {
                if (r + u >= shape.reduced.count) break;
                const T weight = own ? own[r + u] : T(1);
                sum = fma(weight, from[(r + u) * shape.reduced.stride], sum);
            }
            total += double(sum);
        }
        out[x] = T(total);
    }
}

template <class T>
__device__ AlignedVector<T, kGroup> load_group(const T* p, std::int64_t step) {
    if (step == 1 && are_aligned(16, p)) return *reinterpret_cast<const AlignedVector<T, kGroup>*>(p);
    AlignedVector<T, kGroup> group;
#pragma unroll
    for (int i = 0; i < kGroup; ++i) group[i] = p[i * step];
    return group;
}

template <class T>
__device__ void store_group(const AlignedVector<T, kGroup>& group, T* p) {
    if (are_aligned(16, p)) {
        *reinterpret_cast<AlignedVector<T, kGroup>*>(p) = group;
        return;
    }
#pragma unroll
    for (int i = 0; i < kGroup; ++i) p[i] = group[i];
}

// Each thread computes a few values adjacent along the last axis, to share the computation of the indices.
template <class Index, bool Two, class T>
__global__ void __launch_bounds__(kThreads) product_kernel(const T* __restrict__ a,
                                                           const T* __restrict__ b,
                                                           const __grid_constant__ ProductShape shape,
                                                           Index groups,
                                                           T* __restrict__ out) {
    const int last = shape.axes - 1;
    const Index length = Index(shape.count[last]), along = ceil_div(length, kGroup);
    const std::int64_t step_a = shape.a[last], step_b = shape.b[last];
    for (Index group = Index(blockIdx.x) * kThreads + threadIdx.x; group < groups;
         group += Index(gridDim.x) * kThreads) {
        Index rest = group / along;
        const Index first = (group - rest * along) * kGroup;
        T* const to = out + std::int64_t(rest) * std::int64_t(length) + std::int64_t(first);
        std::int64_t at_a = std::int64_t(first) * step_a, at_b = std::int64_t(first) * step_b;
        for (int axis = last - 1; axis >= 0; --axis) {
            const Index count = Index(shape.count[axis]);
            const Index next = axis > 0 ? rest / count : 0;
            const std::int64_t k = std::int64_t(rest - next * count);
            rest = next;
            at_a += k * shape.a[axis];
            at_b += k * shape.b[axis];
        }
        if (first + kGroup <= length) {
            AlignedVector<T, kGroup> values = load_group(a + at_a, step_a);
            if (Two) {
                const AlignedVector<T, kGroup> factors = load_group(b + at_b, step_b);
#pragma unroll
                for (int i = 0; i < kGroup; ++i) values[i] *= factors[i];
            }
            store_group(values, to);
        } else {
            for (int i = 0; first + i < length; ++i)
                to[i] = Two ? a[at_a + i * step_a] * b[at_b + i * step_b] : a[at_a + i * step_a];
        }
    }
}

constexpr int kTile = 32, kTileRows = 8;

/// A transposition: out[o, y, x] = a[o, x, y], x contiguous in the output and y in the input; `_count` are
/// lengths, `_a` and `_out` strides.
struct Transposition {
    std::int64_t outer, outer_a, outer_out;
    std::int64_t x_count, x_a;
    std::int64_t y_count, y_out;
};

template <class T>
__global__ void __launch_bounds__(kTile* kTileRows)
    transpose_kernel(const T* __restrict__ a, Transposition t, T* __restrict__ out) {
    __shared__ T tile[kTile][kTile + 1];
    const std::int64_t tiles_x = ceil_div(t.x_count, kTile), tiles_y = ceil_div(t.y_count, kTile);
    for (std::int64_t block = blockIdx.x; block < tiles_x * tiles_y * t.outer; block += gridDim.x) {
        const std::int64_t x0 = block % tiles_x * kTile, y0 = block / tiles_x % tiles_y * kTile;
        const std::int64_t o = block / tiles_x / tiles_y;
        __syncthreads();
        for (int r = int(threadIdx.y); r < kTile; r += kTileRows)
            if (x0 + r < t.x_count && y0 + threadIdx.x < t.y_count)
                tile[r][threadIdx.x] = a[o * t.outer_a + (x0 + r) * t.x_a + y0 + threadIdx.x];
        __syncthreads();
        for (int r = int(threadIdx.y); r < kTile; r += kTileRows)
            if (y0 + r < t.y_count && x0 + threadIdx.x < t.x_count)
                out[o * t.outer_out + (y0 + r) * t.y_out + x0 + threadIdx.x] = tile[threadIdx.x][r];
    }
}

// Recognises a copy whose last axis is strided in the input, with one other axis contiguous there, and at
// most one more.
bool as_transposition(const ProductShape& shape, Transposition& t) {
    const int last = shape.axes - 1;
    if (last < 1 || last > 2 || shape.a[last] <= 1) return false;
    for (int y = 0; y < last; ++y) {
        if (shape.a[y] != 1) continue;
        const int other = last == 2 ? 1 - y : -1;
        const auto out_stride = [&](int axis) {
            std::int64_t stride = 1;
            for (int i = axis + 1; i < shape.axes; ++i) stride *= shape.count[i];
            return stride;
        };
        t = {other < 0 ? 1 : shape.count[other],
             other < 0 ? 0 : shape.a[other],
             other < 0 ? 0 : out_stride(other),
             shape.count[last],
             shape.a[last],
             shape.count[y],
             out_stride(y)};
        return t.x_count >= kTile / 2 && t.y_count >= kTile / 2;
    }
    return false;
}

template <class T>
std::size_t strided_sums_bytes(const SumShape& shape) {
    if (shape.inner.count > 1) return 0;
    const RowPlan plan = plan_rows(shape);
    return plan.parts == 1 ? 0 : std::size_t(plan.parts) * std::size_t(shape.outer.count) * sizeof(T);
}

template <class T>
void enqueue_strided_sums(
    CudaStream& stream, const SumShape& shape, const T* a, const T* weights, T* out, void* scratch) {
    if (shape.inner.count > 1) {
        const std::int64_t blocks = ceil_div(shape.outer.count * shape.inner.count, kThreads);
        any_kernel<<<unsigned(std::min<std::int64_t>(blocks, 1 << 20)), kThreads, 0, cuda_handle(stream)>>>(
            a, weights, shape, out);
        return check_launch("any_kernel");
    }
    const RowPlan plan = plan_rows(shape);
    T* const target = plan.parts == 1 ? out : static_cast<T*>(scratch);
    const dim3 grid(unsigned(ceil_div(shape.outer.count, kThreads / plan.threads)), unsigned(plan.parts));
    if (weights)
        row_kernel<true><<<grid, kThreads, 0, cuda_handle(stream)>>>(a, weights, shape, plan, target);
    else
        row_kernel<false><<<grid, kThreads, 0, cuda_handle(stream)>>>(a, weights, shape, plan, target);
    check_launch("row_kernel");
    if (plan.parts == 1) return;
    SumShape parts;
    parts.outer = {shape.outer.count, plan.parts};
    parts.reduced = {plan.parts, 1};
    const RowPlan second{threads_for(plan.parts), 1, plan.parts};
    const dim3 second_grid(unsigned(ceil_div(shape.outer.count, kThreads / second.threads)));
    row_kernel<false, T>
        <<<second_grid, kThreads, 0, cuda_handle(stream)>>>(target, nullptr, parts, second, out);
    check_launch("row_kernel");
}

template <class T>
void enqueue_strided_product(CudaStream& stream, const ProductShape& shape, const T* a, const T* b, T* out) {
    const std::int64_t count = shape.values();
    if (count == 0) return;
    Transposition t;
    if (!b && as_transposition(shape, t)) {
        const std::int64_t tiles = ceil_div(t.x_count, kTile) * ceil_div(t.y_count, kTile) * t.outer;
        transpose_kernel<<<unsigned(std::min<std::int64_t>(tiles, 1 << 20)),
                           dim3(kTile, kTileRows),
                           0,
                           cuda_handle(stream)>>>(a, t, out);
        return check_launch("transpose_kernel");
    }
    ProductShape axes = shape;
    if (axes.axes == 0) axes.count[axes.axes++] = 1;
    const std::int64_t length = axes.count[axes.axes - 1];
    const std::int64_t groups = count / length * ceil_div(length, kGroup);
    const auto launch = [&]<class Index>(Index n) {
        const unsigned blocks = unsigned(std::min<std::int64_t>(ceil_div(groups, kThreads), 1 << 20));
        if (b)
            product_kernel<Index, true><<<blocks, kThreads, 0, cuda_handle(stream)>>>(a, b, axes, n, out);
        else
            product_kernel<Index, false><<<blocks, kThreads, 0, cuda_handle(stream)>>>(a, b, axes, n, out);
        check_launch("product_kernel");
    };
    // 32-bit divisions are several times faster. The limit is 2^31 so that the loop's last increment cannot
    // wrap around.
    if (count < (std::int64_t(1) << 31))
        launch(std::uint32_t(groups));
    else
        launch(groups);
}

// Whether the matrix rows are long enough for the column kernel, and the matrices few enough for one launch
// each.
bool has_long_columns(const SumShape& shape) {
    if (shape.inner.stride != 1 || shape.inner.count == 1) return false;
    return shape.outer.count == 1 ||
           (shape.outer.count <= 64 && shape.reduced.count * shape.inner.count >= (1 << 18));
}

MatrixShape matrix_of(const SumShape& shape) {
    return {shape.reduced.count, shape.inner.count, shape.reduced.stride};
}

template <class T>
class CudaArithmetic : public EinsumArithmetic<T> {
  public:
    CudaArithmetic(CudaStream& stream, void* scratch, void* workspace) : stream_(stream), scratch_(scratch) {
        if (workspace) blas_ = std::make_unique<CublasHandle>(stream, workspace, kCudaMatrixWorkspaceBytes);
    }

    void multiply(const ProductShape& shape, const T* a, const T* b, T* out) override {
        enqueue_strided_product(stream_, shape, a, b, out);
    }

    void sum(const SumShape& shape, const T* a, const T* weights, T* out) override {
        if (!has_long_columns(shape)) return enqueue_strided_sums(stream_, shape, a, weights, out, scratch_);
        for (std::int64_t o = 0; o < shape.outer.count; ++o)
            cuda_column_sums(stream_,
                             a + o * shape.outer.stride,
                             matrix_of(shape),
                             weights ? weights + o * shape.weight_outer : nullptr,
                             out + o * shape.inner.count,
                             scratch_);
    }

    // BLAS is column-major, so it computes C' = B' A'.
    void multiply_matrices(const MatrixProductShape& s, const T* a, const T* b, T* c) override {
        const T one = 1, zero = 0;
        const auto operation = [](const BatchedMatrix& matrix) {
            return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        };
        const auto call = [&](auto gemm) {
            return gemm(*blas_,
                        operation(s.b),
                        operation(s.a),
                        int(s.n),
                        int(s.m),
                        int(s.k),
                        &one,
                        b,
                        int(s.b.leading),
                        (long long)(s.b.batch_stride),
                        a,
                        int(s.a.leading),
                        (long long)(s.a.batch_stride),
                        &zero,
                        c,
                        int(s.c.leading),
                        (long long)(s.c.batch_stride),
                        int(s.batch));
        };
        if constexpr (sizeof(T) == 4)
            check_cublas(call(CUBLAS(cublasSgemmStridedBatched)), "cublasSgemmStridedBatched");
        else
            check_cublas(call(CUBLAS(cublasDgemmStridedBatched)), "cublasDgemmStridedBatched");
    }

    void zero(std::int64_t count, T* to) override {
        if (count > 0)
            CUDA_CHECK(cudaMemsetAsync(to, 0, std::size_t(count) * sizeof(T), cuda_handle(stream_)));
    }

  private:
    CudaStream& stream_;
    void* scratch_;
    std::unique_ptr<CublasHandle> blas_;
};

}  // namespace

template <class T>
std::size_t cuda_sum_scratch_bytes(const SumShape& shape) {
    if (!has_long_columns(shape)) return strided_sums_bytes<T>(shape);
    return cuda_column_sums_bytes<T>(matrix_of(shape));
}

template <class T>
std::unique_ptr<EinsumArithmetic<T>> cuda_einsum_arithmetic(CudaStream& stream,
                                                            void* scratch,
                                                            void* workspace) {
    return std::make_unique<CudaArithmetic<T>>(stream, scratch, workspace);
}

template std::size_t cuda_sum_scratch_bytes<float>(const SumShape&);
template std::size_t cuda_sum_scratch_bytes<double>(const SumShape&);
template std::unique_ptr<EinsumArithmetic<float>> cuda_einsum_arithmetic(CudaStream&, void*, void*);
template std::unique_ptr<EinsumArithmetic<double>> cuda_einsum_arithmetic(CudaStream&, void*, void*);

}  // namespace stencil::einsum
