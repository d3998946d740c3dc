// Solutions of the ridge problem held against fresh float64 products.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/examples/ridge/cpu_product.h"

namespace stencil::ridge {

struct SolutionCheck {
    double residual = 0;        ///< |A x - d|
    double solution = 0;        ///< |x|
    double gradient = 0;        ///< |A^T (d - A x) - c^2 x|
    double bound = 0;           ///< |g| / (c^2 |x|) >= |x - exact x| / |x|; infinite for c = 0
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
    double bytes_of_step() const { return forward_.bytes() + back_.bytes(); }

  private:
    std::function<void()> pause_;
    CpuProduct<T> forward_, back_;
    double frobenius_ = 0;
    std::vector<double> image_, gradient_;
};

/// The largest |x - truth| / |truth| of solutions one after the other, `columns` values each.
double largest_error(std::span<const double> x, std::span<const double> truth, std::int64_t columns);

}  // namespace stencil::ridge
