// Solutions of the ridge problem held against fresh products, in long double: the certificate is about c^2,
// which may be far below what float64 leaves of |A|^2.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil::ridge {

struct SolutionCheck {
    double residual = 0;  ///< |A x - d|
    double solution = 0;  ///< |x|
    double gradient = 0;  ///< |A^T (d - A x) - c^2 x|
    /// (|g| + what rounding may hide of it) / (c^2 |x|) >= |x - exact x| / |x|; infinite for c = 0.
    double bound = 0;
    double gradient_share = 0;  ///< |g| / (|A| |r| + c^2 |x|), free of scales
    double broadcast = 0;       ///< what the tutorial plots as the residual
};

template <class T>
class SolutionChecker {
  public:
    /// `pause` is called between pieces of work that take some tenths of a second, and may throw.
    SolutionChecker(
        const SparseMatrix<T>& a, ThreadPool& threads, std::function<void()> pause = [] {});

    SolutionCheck check(std::span<const double> x, std::span<const double> d, double c);
    /// |A|, of Frobenius.
    double frobenius() const { return frobenius_; }
    /// A^T (d - A x) - c^2 x, of the last check().
    const std::vector<double>& gradient() const { return gradient_; }
    /// Bytes that a step of LSMR reads.
    double bytes_of_step() const;

  private:
    std::function<void()> pause_;
    ThreadPool& threads_;
    const SparseMatrix<T>& a_;
    SparseMatrix<T> back_;
    double frobenius_ = 0;
    std::vector<double> gradient_;
};

double length_of(std::span<const double> a);
/// |x - right| / |right|
double relative_error(std::span<const double> x, std::span<const double> right);

}  // namespace stencil::ridge
