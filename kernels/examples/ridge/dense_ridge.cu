#include <cusolverDn.h>

#include "kernels/cuda/cublas.cuh"
#include "kernels/examples/ridge/cuda_vectors.cuh"
#include "kernels/examples/ridge/dense_ridge.h"

namespace stencil {
namespace {

const CudaLibrary& cusolver() {
    static const CudaLibrary library("libcusolver.so.", CUSOLVER_VER_MAJOR);
    return library;
}

#define CUSOLVER(name) LATE_FUNCTION(cusolver(), name)
#define CUSOLVER_CHECK(name, ...) check_cusolver(CUSOLVER(name)(__VA_ARGS__), #name)

void check_cusolver(cusolverStatus_t status, const char* name) {
    if (status == CUSOLVER_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuSOLVER: ") + name + ": status " + std::to_string(int(status)));
}

class CusolverHandle {
  public:
    explicit CusolverHandle(CudaStream& stream) {
        CUSOLVER_CHECK(cusolverDnCreate, &handle_);
        CUSOLVER_CHECK(cusolverDnSetStream, handle_, cuda_handle(stream));
    }
    ~CusolverHandle() { CUSOLVER(cusolverDnDestroy)(handle_); }
    CusolverHandle(const CusolverHandle&) = delete;
    CusolverHandle& operator=(const CusolverHandle&) = delete;
    operator cusolverDnHandle_t() const { return handle_; }

  private:
    cusolverDnHandle_t handle_ = nullptr;
};

// One block per row.
template <class T>
__global__ void scatter_rows_kernel(
    const std::int64_t* start, const std::uint32_t* column, const T* value, double* dense, int columns) {
    const std::int64_t row = blockIdx.x;
    for (std::int64_t k = start[row] + threadIdx.x; k < start[row + 1]; k += blockDim.x)
        dense[row * columns + column[k]] = double(value[k]);
}

__global__ void add_to_diagonal_kernel(double* a, int n, double value) {
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) a[std::size_t(i) * std::size_t(n + 1)] += value;
}

constexpr std::size_t kWorkspace = std::size_t(32) << 20;

template <class T>
class CudaDenseRidge {
  public:
    CudaDenseRidge(const SparseMatrix<T>& a, CudaStream& stream)
        : stream_(stream),
          workspace_(kWorkspace),
          blas_(stream, workspace_.data(), kWorkspace),
          solver_(stream),
          rows_(int(a.rows)),
          n_(int(a.columns)),
          start_(to_device(a.start, stream)),
          column_(to_device(a.column, stream)),
          value_(to_device(a.value, stream)),
          gram_(sizeof(double) * std::size_t(n_) * std::size_t(n_)),
          factor_(sizeof(double) * std::size_t(n_) * std::size_t(std::max(n_, rows_))),
          vector_(sizeof(double) * std::size_t(n_)),
          info_(sizeof(int)) {
        int count = 0;
        CUSOLVER_CHECK(cusolverDnDpotrf_bufferSize,
                       solver_,
                       CUBLAS_FILL_MODE_LOWER,
                       n_,
                       as<double>(factor_),
                       n_,
                       &count);
        work_count_ = count;
        work_ = CudaMemory(sizeof(double) * std::size_t(std::max(1, count)));
    }

    // The dense matrix of A is in the memory that the factor will use later.
    void form() {
        const cudaStream_t s = cuda_handle(stream_);
        CUDA_CHECK(
            cudaMemsetAsync(factor_.data(), 0, sizeof(double) * std::size_t(n_) * std::size_t(rows_), s));
        scatter_rows_kernel<<<unsigned(rows_), 256, 0, s>>>(as<const std::int64_t>(start_),
                                                            as<const std::uint32_t>(column_),
                                                            as<const T>(value_),
                                                            as<double>(factor_),
                                                            n_);
        check_launch("scatter_rows_kernel");
        const double one = 1, zero = 0;
        CUBLAS_CHECK(cublasDsyrk,
                     blas_,
                     CUBLAS_FILL_MODE_LOWER,
                     CUBLAS_OP_N,
                     n_,
                     rows_,
                     &one,
                     as<double>(factor_),
                     n_,
                     &zero,
                     as<double>(gram_),
                     n_);
    }

    bool factor(double c) {
        const cudaStream_t s = cuda_handle(stream_);
        copy_on_device(
            factor_.data(), gram_.data(), sizeof(double) * std::size_t(n_) * std::size_t(n_), stream_);
        add_to_diagonal_kernel<<<unsigned((n_ + 255) / 256), 256, 0, s>>>(as<double>(factor_), n_, c * c);
        check_launch("add_to_diagonal_kernel");
        CUSOLVER_CHECK(cusolverDnDpotrf,
                       solver_,
                       CUBLAS_FILL_MODE_LOWER,
                       n_,
                       as<double>(factor_),
                       n_,
                       as<double>(work_),
                       work_count_,
                       as<int>(info_));
        int status = 0;
        CUDA_CHECK(cudaMemcpyAsync(&status, info_.data(), sizeof status, cudaMemcpyDefault, s));
        stream_.synchronize();
        return status == 0;
    }

    std::vector<double> apply(std::span<const double> vector) {
        const cudaStream_t s = cuda_handle(stream_);
        std::vector<double> x(vector.begin(), vector.end());
        const std::size_t bytes = sizeof(double) * x.size();
        CUDA_CHECK(cudaMemcpyAsync(vector_.data(), x.data(), bytes, cudaMemcpyDefault, s));
        CUSOLVER_CHECK(cusolverDnDpotrs,
                       solver_,
                       CUBLAS_FILL_MODE_LOWER,
                       n_,
                       1,
                       as<double>(factor_),
                       n_,
                       as<double>(vector_),
                       n_,
                       as<int>(info_));
        CUDA_CHECK(cudaMemcpyAsync(x.data(), vector_.data(), bytes, cudaMemcpyDefault, s));
        stream_.synchronize();
        return x;
    }

  private:
    CudaStream& stream_;
    CudaMemory workspace_;
    CublasHandle blas_;
    CusolverHandle solver_;
    int rows_, n_;
    CudaMemory start_, column_, value_;
    CudaMemory gram_, factor_, vector_, info_, work_;
    int work_count_ = 0;
};

}  // namespace

template <class T>
DenseRidge make_cuda_dense_ridge(const SparseMatrix<T>& a, CudaStream& stream) {
    const auto ridge = std::make_shared<CudaDenseRidge<T>>(a, stream);
    return {[=] { ridge->form(); },
            [=](double c) { return ridge->factor(c); },
            [=](std::span<const double> vector) { return ridge->apply(vector); }};
}

template DenseRidge make_cuda_dense_ridge(const SparseMatrix<float>&, CudaStream&);
template DenseRidge make_cuda_dense_ridge(const SparseMatrix<double>&, CudaStream&);

}  // namespace stencil
