#include "kernels/examples/ridge/dense_ridge.h"

#include <cblas.h>

#include <algorithm>

#include "kernels/cpu/aligned_buffer.h"

// LAPACK's own interface, which OpenBLAS exports.
extern "C" {
void dpotrf_(const char* half, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* half,
             const int* n,
             const int* count,
             const double* a,
             const int* lda,
             double* b,
             const int* ldb,
             int* info);
}

namespace stencil {
namespace {

template <class T>
class CpuDenseRidge final : public DenseRidge {
  public:
    CpuDenseRidge(const SparseMatrix<T>& a, int threads)
        : a_(a),
          threads_(threads),
          n_(int(a.columns)),
          gram_(std::size_t(n_) * std::size_t(n_)),
          factor_(std::max(std::size_t(n_), std::size_t(a.rows)) * std::size_t(n_)) {}

    // The dense matrix lies where the factor comes later.
    void form() override {
        openblas_set_num_threads(threads_);
        double* dense = factor_.data();
        std::fill_n(dense, std::size_t(a_.rows) * std::size_t(n_), 0.0);
        for (std::int64_t i = 0; i < a_.rows; ++i)
            for (auto k = std::size_t(a_.start[std::size_t(i)]);
                 k < std::size_t(a_.start[std::size_t(i) + 1]);
                 ++k)
                dense[std::size_t(i) * std::size_t(n_) + a_.column[k]] = double(a_.value[k]);
        cblas_dsyrk(
            CblasColMajor, CblasLower, CblasNoTrans, n_, int(a_.rows), 1, dense, n_, 0, gram_.data(), n_);
    }

    bool factor(double c) override {
        openblas_set_num_threads(threads_);
        std::copy_n(gram_.data(), gram_.size(), factor_.data());
        for (int i = 0; i < n_; ++i) factor_.data()[std::size_t(i) * std::size_t(n_ + 1)] += c * c;
        int info = 0;
        dpotrf_("L", &n_, factor_.data(), &n_, &info);
        return info == 0;
    }

    std::vector<double> apply(std::span<const double> vector) override {
        std::vector<double> x(vector.begin(), vector.end());
        const int one = 1;
        int info = 0;
        dpotrs_("L", &n_, &one, factor_.data(), &n_, x.data(), &n_, &info);
        return x;
    }

  private:
    const SparseMatrix<T>& a_;
    int threads_, n_;
    AlignedBuffer<double> gram_, factor_;
};

}  // namespace

double dense_ridge_bytes(std::int64_t rows, std::int64_t columns) {
    const double n = double(columns);
    return 8 * n * (n + std::max(n, double(rows)));
}

template <class T>
std::unique_ptr<DenseRidge> make_cpu_dense_ridge(const SparseMatrix<T>& a, int threads) {
    return std::make_unique<CpuDenseRidge<T>>(a, threads);
}

template std::unique_ptr<DenseRidge> make_cpu_dense_ridge(const SparseMatrix<float>&, int);
template std::unique_ptr<DenseRidge> make_cpu_dense_ridge(const SparseMatrix<double>&, int);

}  // namespace stencil
