// The GPU's side: sums in one pass, products, and cuBLAS.

#include <algorithm>

#include "kernels/cuda/cublas.cuh"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/einsum/arithmetic.h"
#include "kernels/examples/einsum/strided.cuh"
#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

// Rows of a matrix that are long enough for its own kernel, and few enough such matrices to go one by one.
bool has_long_columns(const SumShape& shape) {
    if (shape.inner.stride != 1 || shape.inner.count == 1) return false;
    return shape.outer.count == 1 ||
           (shape.outer.count <= 64 && shape.reduced.count * shape.inner.count >= (1 << 18));
}

MatrixShape matrix_of(const SumShape& shape) {
    return {shape.reduced.count, shape.inner.count, shape.reduced.stride};
}

template <class T>
std::size_t weight_bytes(const SumShape& shape) {
    constexpr std::size_t kBoundary = 256;
    if (shape.weight_stride == 1) return 0;
    return round_up(std::size_t(shape.reduced.count) * sizeof(T), kBoundary);
}

template <class T>
class CudaArithmetic : public EinsumArithmetic<T> {
  public:
    CudaArithmetic(CudaStream& stream, void* scratch, void* workspace)
        : stream_(stream), scratch_(static_cast<char*>(scratch)) {
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
                             dense_weights(shape, weights ? weights + o * shape.weight_outer : nullptr),
                             out + o * shape.inner.count,
                             scratch_ + weight_bytes<T>(shape));
    }

    // Column-major as BLAS is, C' = B' A'.
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
    const T* dense_weights(const SumShape& shape, const T* weights) {
        if (!weights || shape.weight_stride == 1) return weights;
        ProductShape gather;
        gather.axes = 1;
        gather.count[0] = shape.reduced.count;
        gather.a[0] = shape.weight_stride;
        T* const dense = reinterpret_cast<T*>(scratch_);
        enqueue_strided_product<T>(stream_, gather, weights, nullptr, dense);
        return dense;
    }

    CudaStream& stream_;
    char* scratch_;
    std::unique_ptr<CublasHandle> blas_;
};

}  // namespace

template <class T>
std::size_t cuda_sum_scratch_bytes(const SumShape& shape) {
    if (!has_long_columns(shape)) return strided_sums_bytes<T>(shape);
    return weight_bytes<T>(shape) + cuda_column_sums_bytes<T>(matrix_of(shape));
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
