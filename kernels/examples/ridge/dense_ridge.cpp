#include "kernels/examples/ridge/dense_ridge.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/openblas.h"

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

double dense_ridge_bytes(std::int64_t rows, std::int64_t columns) {
    const double n = double(columns);
    return 8 * n * (n + std::max(n, double(rows)));
}

// The dense matrix of A is in the memory that the factor will use later.
template <class T>
DenseRidge make_cpu_dense_ridge(const SparseMatrix<T>& a, int threads) {
    const int n = int(a.columns);
    const auto width = std::size_t(n);
    const auto gram = std::make_shared<AlignedBuffer<double>>(width * width);
    const auto factor = std::make_shared<AlignedBuffer<double>>(std::max(width, std::size_t(a.rows)) * width);
    DenseRidge ridge;
    ridge.form = [=, &a] {
        OPENBLAS(openblas_set_num_threads)(threads);
        double* const dense = factor->data();
        std::fill_n(dense, std::size_t(a.rows) * width, 0.0);
        for (auto i = std::size_t(0); i < std::size_t(a.rows); ++i)
            for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k)
                dense[i * width + a.column[k]] = double(a.value[k]);
        OPENBLAS(cblas_dsyrk)
        (CblasColMajor, CblasLower, CblasNoTrans, n, int(a.rows), 1, dense, n, 0, gram->data(), n);
    };
    ridge.factor = [=](double c) {
        OPENBLAS(openblas_set_num_threads)(threads);
        std::ranges::copy(*gram, factor->begin());
        for (std::size_t i = 0; i < width; ++i) factor->data()[i * (width + 1)] += c * c;
        int info = 0;
        OPENBLAS(dpotrf_)("L", &n, factor->data(), &n, &info);
        return info == 0;
    };
    ridge.apply = [=](std::span<const double> vector) {
        std::vector<double> x(vector.begin(), vector.end());
        const int one = 1;
        int info = 0;
        OPENBLAS(dpotrs_)("L", &n, &one, factor->data(), &n, x.data(), &n, &info);
        return x;
    };
    return ridge;
}

template DenseRidge make_cpu_dense_ridge(const SparseMatrix<float>&, int);
template DenseRidge make_cpu_dense_ridge(const SparseMatrix<double>&, int);

}  // namespace stencil
