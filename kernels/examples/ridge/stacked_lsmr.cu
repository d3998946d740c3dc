#include <algorithm>
#include <cmath>

#include "kernels/examples/ridge/cuda_library.cuh"
#include "kernels/examples/ridge/cuda_vectors.cuh"
#include "kernels/examples/ridge/stacked_lsmr.h"

namespace stencil {
namespace {

__global__ void update_kernel(
    double* h, double* hbar, double* x, const double* v, double3 factors, int columns) {
    const int j = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= columns) return;
    const double next = h[j] - factors.x * hbar[j];
    hbar[j] = next;
    x[j] += factors.y * next;
    h[j] = v[j] - factors.z * h[j];
}

// A matrix and its product through cuSPARSE, with values and sums in float64 as the tutorial's stack has
// them.
class SparseProduct {
  public:
    template <class T>
    SparseProduct(const SparseMatrix<T>& a, cusparseHandle_t handle, CudaStream& stream)
        : handle_(handle),
          start_(to_device(std::vector<std::int32_t>(a.start.begin(), a.start.end()), stream)),
          column_(to_device(a.column, stream)),
          value_(to_device(std::vector<double>(a.value.begin(), a.value.end()), stream)),
          rows_(a.rows),
          columns_(a.columns) {
        LIBRARY_CHECK(cusparseCreateCsr(&matrix_,
                                        a.rows,
                                        a.columns,
                                        a.nonzeros(),
                                        start_.data(),
                                        column_.data(),
                                        value_.data(),
                                        CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO,
                                        CUDA_R_64F));
    }
    ~SparseProduct() { cusparseDestroySpMat(matrix_); }
    SparseProduct(const SparseProduct&) = delete;
    SparseProduct& operator=(const SparseProduct&) = delete;

    // y = A x + beta y
    void add(const double* x, double beta, double* y) {
        cusparseDnVecDescr_t from = nullptr, to = nullptr;
        LIBRARY_CHECK(cusparseCreateDnVec(&from, columns_, const_cast<double*>(x), CUDA_R_64F));
        LIBRARY_CHECK(cusparseCreateDnVec(&to, rows_, y, CUDA_R_64F));
        const double one = 1;
        if (!prepared_) {
            std::size_t bytes = 0;
            LIBRARY_CHECK(cusparseSpMV_bufferSize(
                handle_, kPlain, &one, matrix_, from, &beta, to, CUDA_R_64F, kAlgorithm, &bytes));
            buffer_ = CudaMemory(std::max<std::size_t>(1, bytes));
            LIBRARY_CHECK(cusparseSpMV_preprocess(
                handle_, kPlain, &one, matrix_, from, &beta, to, CUDA_R_64F, kAlgorithm, buffer_.data()));
            prepared_ = true;
        }
        LIBRARY_CHECK(cusparseSpMV(
            handle_, kPlain, &one, matrix_, from, &beta, to, CUDA_R_64F, kAlgorithm, buffer_.data()));
        cusparseDestroyDnVec(from);
        cusparseDestroyDnVec(to);
    }

  private:
    static constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr cusparseSpMVAlg_t kAlgorithm = CUSPARSE_SPMV_CSR_ALG2;  // the same bits every time

    cusparseHandle_t handle_;
    CudaMemory start_, column_, value_, buffer_;
    std::int64_t rows_, columns_;
    cusparseSpMatDescr_t matrix_ = nullptr;
    bool prepared_ = false;
};

// The stacked block c I is not stored: its products are those of c with a vector.
class CudaStacked final : public StackedVectors {
  public:
    template <class T>
    CudaStacked(const SparseMatrix<T>& a, CudaStream& stream)
        : stream_(stream),
          blas_(stream),
          sparse_(stream),
          forward_(a, sparse_, stream),
          back_(transposed(a), sparse_, stream),
          rows_(int(a.rows)),
          columns_(int(a.columns)),
          u_(sizeof(double) * std::size_t(rows_)),
          below_(sizeof(double) * std::size_t(columns_)),
          v_(sizeof(double) * std::size_t(columns_)),
          h_(sizeof(double) * std::size_t(columns_)),
          hbar_(sizeof(double) * std::size_t(columns_)),
          x_(sizeof(double) * std::size_t(columns_)) {}

    double start(std::span<const double> d, double c) override {
        c_ = c;
        const cudaStream_t s = cuda_handle(stream_);
        CUDA_CHECK(cudaMemcpyAsync(u_.data(), d.data(), d.size_bytes(), cudaMemcpyDefault, s));
        for (const CudaMemory* vector : {&below_, &v_, &h_, &hbar_, &x_})
            CUDA_CHECK(cudaMemsetAsync(vector->data(), 0, sizeof(double) * std::size_t(columns_), s));
        return normalise_u();
    }

    double forward(double alpha) override {
        forward_.add(of(v_), -alpha, of(u_));
        const double factor = -alpha;
        LIBRARY_CHECK(cublasDscal(blas_, columns_, &factor, of(below_), 1));
        LIBRARY_CHECK(cublasDaxpy(blas_, columns_, &c_, of(v_), 1, of(below_), 1));
        return normalise_u();
    }

    double back(double beta) override {
        back_.add(of(u_), -beta, of(v_));
        LIBRARY_CHECK(cublasDaxpy(blas_, columns_, &c_, of(below_), 1, of(v_), 1));
        const double length = norm(columns_, v_);
        scale(columns_, v_, length);
        return length;
    }

    double update(double first, double second, double third) override {
        update_kernel<<<unsigned((columns_ + 255) / 256), 256, 0, cuda_handle(stream_)>>>(
            of(h_), of(hbar_), of(x_), of(v_), {first, second, third}, columns_);
        check_launch("update_kernel");
        return norm(columns_, x_);
    }

    std::vector<double> solution() override {
        std::vector<double> x(static_cast<std::size_t>(columns_));
        CUDA_CHECK(cudaMemcpyAsync(
            x.data(), x_.data(), sizeof(double) * x.size(), cudaMemcpyDefault, cuda_handle(stream_)));
        stream_.synchronize();
        return x;
    }

  private:
    static double* of(const CudaMemory& memory) { return static_cast<double*>(memory.data()); }

    double norm(int count, const CudaMemory& vector) {
        double length = 0;
        LIBRARY_CHECK(cublasDnrm2(blas_, count, of(vector), 1, &length));
        return length;
    }

    void scale(int count, const CudaMemory& vector, double length) {
        if (length == 0) return;
        const double factor = 1 / length;
        LIBRARY_CHECK(cublasDscal(blas_, count, &factor, of(vector), 1));
    }

    double normalise_u() {
        const double length = std::hypot(norm(rows_, u_), norm(columns_, below_));
        scale(rows_, u_, length);
        scale(columns_, below_, length);
        return length;
    }

    CudaStream& stream_;
    CublasHandle blas_;
    CusparseHandle sparse_;
    SparseProduct forward_, back_;
    int rows_, columns_;
    double c_ = 0;
    CudaMemory u_, below_, v_, h_, hbar_, x_;
};

}  // namespace

template <class T>
std::unique_ptr<StackedVectors> make_cuda_stacked(const SparseMatrix<T>& a, CudaStream& stream) {
    return std::make_unique<CudaStacked>(a, stream);
}

template std::unique_ptr<StackedVectors> make_cuda_stacked(const SparseMatrix<float>&, CudaStream&);
template std::unique_ptr<StackedVectors> make_cuda_stacked(const SparseMatrix<double>&, CudaStream&);

}  // namespace stencil
