// The GPU's side: sums in one pass, products, and cuBLAS.
// Which kernel takes which layout:
//
//     sum of rows (inner.count == 1)    row_kernel: `threads` neighbours share a row; of few rows, each is
//                                       cut into parts, which a second launch adds up
//     any other sum                     any_kernel: a thread for each sum
//     product or copy                   product_kernel: a thread for each value
#include <algorithm>

#include "kernels/cuda/cublas.cuh"
#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/einsum/arithmetic.h"
#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

constexpr int kThreads = 256;
constexpr int kLoadsInFlight = 8;

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
    const std::int64_t wanted = ceil_div(std::int64_t(current_gpu_facts().multiprocessors) * 16, blocks);
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

template <class Index, bool Two, class T>
__global__ void __launch_bounds__(kThreads) product_kernel(const T* __restrict__ a,
                                                           const T* __restrict__ b,
                                                           const __grid_constant__ ProductShape shape,
                                                           Index count,
                                                           T* __restrict__ out) {
    for (Index i = Index(blockIdx.x) * kThreads + threadIdx.x; i < count; i += Index(gridDim.x) * kThreads) {
        std::int64_t at_a = 0, at_b = 0;
        Index rest = i;
        for (int axis = shape.axes - 1; axis >= 0; --axis) {
            const Index length = Index(shape.count[axis]), next = axis > 0 ? rest / length : 0;
            const std::int64_t k = std::int64_t(rest - next * length);
            rest = next;
            at_a += k * shape.a[axis];
            at_b += k * shape.b[axis];
        }
        out[i] = Two ? a[at_a] * b[at_b] : a[at_a];
    }
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
    const auto launch = [&]<class Index>(Index n) {
        const unsigned blocks = unsigned(std::min<std::int64_t>(ceil_div(count, kThreads), 1 << 20));
        const auto kernel = b ? product_kernel<Index, true, T> : product_kernel<Index, false, T>;
        kernel<<<blocks, kThreads, 0, cuda_handle(stream)>>>(a, b, shape, n, out);
        check_launch("product_kernel");
    };
    // 32-bit divisions are several times faster. The limit is 2^31 so that the loop's last increment cannot
    // wrap around.
    if (count < (std::int64_t(1) << 31))
        launch(std::uint32_t(count));
    else
        launch(count);
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
    explicit CudaArithmetic(CudaStream& stream) : stream_(stream) {}

    void multiply(const ProductShape& shape, const T* a, const T* b, T* out) override {
        enqueue_strided_product(stream_, shape, a, b, out);
    }

    void sum(const SumShape& shape, const T* a, const T* weights, T* out) override {
        if (!has_long_columns(shape))
            return enqueue_strided_sums(
                stream_, shape, a, weights, out, scratch(strided_sums_bytes<T>(shape)));
        void* const partial = scratch(cuda_column_sums_bytes<T>(matrix_of(shape)));
        for (std::int64_t o = 0; o < shape.outer.count; ++o)
            cuda_column_sums(stream_,
                             a + o * shape.outer.stride,
                             matrix_of(shape),
                             weights ? weights + o * shape.weight_outer : nullptr,
                             out + o * shape.inner.count,
                             partial);
    }

    // BLAS is column-major, so it computes C' = B' A'.
    void multiply_matrices(const MatrixProductShape& s, const T* a, const T* b, T* c) override {
        constexpr std::size_t kWorkspace = std::size_t(8) << 20;
        if (!blas_) {
            workspace_ = CudaMemory(kWorkspace);
            blas_ = std::make_unique<CublasHandle>(stream_, workspace_.data(), kWorkspace);
        }
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
    void* scratch(std::size_t bytes) {
        if (bytes > scratch_bytes_) scratch_ = CudaMemory(scratch_bytes_ = bytes);
        return scratch_.data();
    }

    CudaStream& stream_;
    CudaMemory scratch_, workspace_;
    std::size_t scratch_bytes_ = 0;
    std::unique_ptr<CublasHandle> blas_;
};

}  // namespace

template <class T>
std::unique_ptr<EinsumArithmetic<T>> cuda_einsum_arithmetic(CudaStream& stream) {
    return std::make_unique<CudaArithmetic<T>>(stream);
}

template std::unique_ptr<EinsumArithmetic<float>> cuda_einsum_arithmetic(CudaStream&);
template std::unique_ptr<EinsumArithmetic<double>> cuda_einsum_arithmetic(CudaStream&);

}  // namespace stencil::einsum
