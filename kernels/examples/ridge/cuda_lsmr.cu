#include <cusparse.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cuda/cublas.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/examples/ridge/cuda_vectors.cuh"
#include "kernels/examples/ridge/lsmr.h"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

const CudaLibrary& cusparse() {
    static const CudaLibrary library("libcusparse.so.", CUSPARSE_VER_MAJOR);
    return library;
}

#define CUSPARSE(name) LATE_FUNCTION(cusparse(), name)
#define CUSPARSE_CHECK(name, ...) check_cusparse(CUSPARSE(name)(__VA_ARGS__), #name)

void check_cusparse(cusparseStatus_t status, const char* name) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuSPARSE: ") + name + ": " + CUSPARSE(cusparseGetErrorString)(status));
}

class CusparseHandle {
  public:
    explicit CusparseHandle(CudaStream& stream) {
        CUSPARSE_CHECK(cusparseCreate, &handle_);
        CUSPARSE_CHECK(cusparseSetStream, handle_, cuda_handle(stream));
    }
    ~CusparseHandle() { CUSPARSE(cusparseDestroy)(handle_); }
    CusparseHandle(const CusparseHandle&) = delete;
    CusparseHandle& operator=(const CusparseHandle&) = delete;
    operator cusparseHandle_t() const { return handle_; }

  private:
    cusparseHandle_t handle_ = nullptr;
};

class DenseVector {
  public:
    DenseVector(std::int64_t size, double* values) {
        CUSPARSE_CHECK(cusparseCreateDnVec, &vector_, size, values, CUDA_R_64F);
    }
    ~DenseVector() { CUSPARSE(cusparseDestroyDnVec)(vector_); }
    DenseVector(const DenseVector&) = delete;
    DenseVector& operator=(const DenseVector&) = delete;
    operator cusparseDnVecDescr_t() const { return vector_; }

  private:
    cusparseDnVecDescr_t vector_ = nullptr;
};

/// y = A x + factor y for a matrix on the device, always summed in the same order.
template <class T>
class CudaProduct {
  public:
    CudaProduct(const SparseMatrix<T>& a, CusparseHandle& library, CudaStream& stream)
        : library_(library),
          start_(to_device(std::vector<std::int32_t>(a.start.begin(), a.start.end()), stream)),
          column_(to_device(a.column, stream)),
          value_(to_device(a.value, stream)) {
        CUSPARSE_CHECK(cusparseCreateCsr,
                       &matrix_,
                       a.rows,
                       a.columns,
                       a.nonzeros(),
                       start_.data(),
                       column_.data(),
                       value_.data(),
                       CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_BASE_ZERO,
                       std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F);
    }
    ~CudaProduct() { CUSPARSE(cusparseDestroySpMat)(matrix_); }
    CudaProduct(const CudaProduct&) = delete;
    CudaProduct& operator=(const CudaProduct&) = delete;

    /// Allocates the workspace of multiply() for such vectors.
    void prepare(const DenseVector& x, const DenseVector& y) {
        std::size_t bytes = 0;
        CUSPARSE_CHECK(cusparseSpMV_bufferSize,
                       library_,
                       CUSPARSE_OPERATION_NON_TRANSPOSE,
                       &kOne,
                       matrix_,
                       x,
                       &kOne,
                       y,
                       CUDA_R_64F,
                       kAlgorithm,
                       &bytes);
        buffer_ = CudaMemory(std::max<std::size_t>(1, bytes));
    }

    void multiply(const DenseVector& x, double factor, const DenseVector& y) {
        CUSPARSE_CHECK(cusparseSpMV,
                       library_,
                       CUSPARSE_OPERATION_NON_TRANSPOSE,
                       &kOne,
                       matrix_,
                       x,
                       &factor,
                       y,
                       CUDA_R_64F,
                       kAlgorithm,
                       buffer_.data());
    }

  private:
    static constexpr double kOne = 1;
    static constexpr cusparseSpMVAlg_t kAlgorithm = CUSPARSE_SPMV_CSR_ALG2;  // deterministic

    CusparseHandle& library_;
    CudaMemory start_, column_, value_, buffer_;
    cusparseSpMatDescr_t matrix_ = nullptr;
};

constexpr int kThreads = 256;

/// The updates of one launch.
struct UpdateBatch {
    static constexpr std::size_t kMost = 64;
    LsmrUpdate updates[kMost];
};

// One row of blocks per solution; h, hbar and x of a solution are contiguous.
__global__ void __launch_bounds__(kThreads) update_solutions_kernel(const __grid_constant__ UpdateBatch batch,
                                                                    const double* v,
                                                                    double* of_solutions,
                                                                    std::int64_t columns) {
    const std::int64_t j = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (j >= columns) return;
    const LsmrUpdate& by = batch.updates[blockIdx.y];
    double *const h = of_solutions + 3 * std::int64_t(by.solution) * columns + j, *const hbar = h + columns,
                  *const x = hbar + columns;
    *hbar = *h - by.hbar_factor * *hbar;
    *x += by.x_factor * *hbar;
    *h = v[j] - by.h_factor * *h;
}

constexpr std::size_t kWorkspace = std::size_t(4) << 20;

template <class T>
class CudaLsmrVectors final : public LsmrVectors {
  public:
    CudaLsmrVectors(const SparseMatrix<T>& a,
                    const SparseMatrix<T>& back,
                    std::size_t solutions,
                    CudaStream& stream)
        : stream_(stream),
          workspace_(kWorkspace),
          blas_(stream, workspace_.data(), kWorkspace),
          sparse_(stream),
          rows_(std::size_t(a.rows)),
          columns_(std::size_t(a.columns)),
          bytes_of_solutions_(3 * solutions * columns_ * sizeof(double)),
          forward_(a, sparse_, stream),
          back_(back, sparse_, stream),
          u_memory_(rows_ * sizeof(double)),
          v_memory_(columns_ * sizeof(double)),
          of_solutions_(std::max<std::size_t>(1, bytes_of_solutions_)),
          u_(a.rows, as<double>(u_memory_)),
          v_(a.columns, as<double>(v_memory_)),
          empty_(a.nonzeros() == 0) {
        forward_.prepare(v_, u_);
        back_.prepare(u_, v_);
    }
    ~CudaLsmrVectors() override { finish(stream_); }

    double start(std::span<const double> d) override {
        const cudaStream_t s = cuda_handle(stream_);
        CUDA_CHECK(cudaMemcpyAsync(u_memory_.data(), d.data(), rows_ * sizeof(double), cudaMemcpyDefault, s));
        CUDA_CHECK(cudaMemsetAsync(v_memory_.data(), 0, columns_ * sizeof(double), s));
        CUDA_CHECK(cudaMemsetAsync(of_solutions_.data(), 0, bytes_of_solutions_, s));
        return normalise(as<double>(u_memory_), rows_);
    }

    double next_u(double alpha) override {
        if (!empty_) forward_.multiply(v_, -alpha, u_);
        return normalise(as<double>(u_memory_), rows_);
    }

    // Without nonzeros v stays 0.
    double next_v(double beta) override {
        if (!empty_) back_.multiply(u_, -beta, v_);
        return normalise(as<double>(v_memory_), columns_);
    }

    void update(std::span<const LsmrUpdate> updates) override {
        for (std::size_t first = 0; first < updates.size(); first += UpdateBatch::kMost) {
            UpdateBatch batch;
            const std::size_t count = std::min(UpdateBatch::kMost, updates.size() - first);
            std::copy_n(updates.begin() + std::ptrdiff_t(first), count, batch.updates);
            const dim3 grid(unsigned(ceil_div(columns_, std::size_t(kThreads))), unsigned(count));
            update_solutions_kernel<<<grid, kThreads, 0, cuda_handle(stream_)>>>(
                batch, as<double>(v_memory_), as<double>(of_solutions_), std::int64_t(columns_));
            check_launch("update_solutions_kernel");
        }
    }

    double length(std::size_t solution) override { return norm(x_of(solution), columns_); }

    std::vector<double> solutions() override {
        const std::size_t count = bytes_of_solutions_ / sizeof(double) / (3 * columns_);
        std::vector<double> all(count * columns_);
        for (std::size_t i = 0; i < count; ++i)
            CUDA_CHECK(cudaMemcpyAsync(all.data() + i * columns_,
                                       x_of(i),
                                       columns_ * sizeof(double),
                                       cudaMemcpyDefault,
                                       cuda_handle(stream_)));
        stream_.synchronize();
        return all;
    }

  private:
    double* x_of(std::size_t solution) const {
        return as<double>(of_solutions_) + (3 * solution + 2) * columns_;
    }

    double norm(const double* vector, std::size_t size) {
        double length = 0;
        CUBLAS_CHECK(cublasDnrm2, blas_, int(size), vector, 1, &length);
        return length;
    }

    double normalise(double* vector, std::size_t size) {
        const double length = norm(vector, size), factor = length > 0 ? 1 / length : 0;
        CUBLAS_CHECK(cublasDscal, blas_, int(size), &factor, vector, 1);
        return length;
    }

    CudaStream& stream_;
    CudaMemory workspace_;
    CublasHandle blas_;
    CusparseHandle sparse_;
    std::size_t rows_, columns_, bytes_of_solutions_;
    CudaProduct<T> forward_, back_;
    CudaMemory u_memory_, v_memory_, of_solutions_;
    DenseVector u_, v_;
    bool empty_;
};

}  // namespace

template <class T>
std::unique_ptr<LsmrVectors> make_cuda_lsmr(const SparseMatrix<T>& a,
                                            const SparseMatrix<T>& back,
                                            std::size_t solutions,
                                            CudaStream& stream) {
    if (a.nonzeros() >> 31 > 0) throw CudaError("cuSPARSE: a matrix has at most 2^31 - 1 nonzeros here");
    return std::make_unique<CudaLsmrVectors<T>>(a, back, solutions, stream);
}

template std::unique_ptr<LsmrVectors> make_cuda_lsmr(const SparseMatrix<float>&,
                                                     const SparseMatrix<float>&,
                                                     std::size_t,
                                                     CudaStream&);
template std::unique_ptr<LsmrVectors> make_cuda_lsmr(const SparseMatrix<double>&,
                                                     const SparseMatrix<double>&,
                                                     std::size_t,
                                                     CudaStream&);

}  // namespace stencil
