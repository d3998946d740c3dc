// Solutions of the ridge problem held against fresh products, and their L-curve: the norm of the solution
// over that of the residual, both logarithmic, for all c (P. C. Hansen, "Analysis of discrete ill-posed
// problems by means of the L-curve", SIAM Review 34, 1992). Its corner, where it bends most, is the usual
// choice of c.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/ridge/dense_svd.h"
#include "kernels/examples/ridge/lsmr.h"
#include "sim/examples/report.h"

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

/// Multiplies in long double: the certificate is about c^2, which may be far below what float64 leaves of
/// |A|^2.
template <class T>
class SolutionChecker {
  public:
    /// `pause` is called between pieces of work that take some tenths of a second, and may throw.
    SolutionChecker(
        const SparseMatrix<T>& a, ThreadPool& threads, std::function<void()> pause = [] {});

    SolutionCheck check(std::span<const double> x, std::span<const double> d, double c);
    /// |A|, of Frobenius.
    double frobenius() const { return frobenius_; }
    /// A^T.
    const SparseMatrix<T>& back() const { return back_; }
    /// A^T (d - A x) - c^2 x
    std::vector<Wide> gradient(std::span<const Wide> x, std::span<const double> d, double c) const;
    /// Bytes that a step of LSMR reads.
    double bytes_of_step() const;

  private:
    std::function<void()> pause_;
    ThreadPool& threads_;
    const SparseMatrix<T>& a_;
    SparseMatrix<T> back_;
    double frobenius_ = 0;
};

/// A^T (d - A x) - c^2 x of x, or an approximation of (A^T A + c^2 I)^-1 g of g.
using VectorMap = std::function<std::vector<Wide>(std::span<const Wide>)>;

/// Iterative refinement: adds the inverse of the gradient to x as long as that shrinks. Returns an estimate
/// of the relative error, the last change in proportion to x; infinite where the changes do not shrink.
double refine(std::vector<Wide>& x, const VectorMap& gradient, const VectorMap& inverse);

double length_of(std::span<const double> a);
/// |x - right| / |right|
double relative_error(std::span<const double> x, std::span<const double> right);

/// A coefficient that was solved for, and what fresh products say of its solution.
struct CurvePoint {
    double c = 0;
    double residual = 0, solution = 0, broadcast = 0;  ///< as in SolutionCheck
    double error = 0;                                  ///< of x, in proportion to |x|: known, or bounded
};

using NormsAt = std::function<Bidiagonal::Norms(double c)>;

/// The coefficient from a tenth of `low` to ten times `high` where log |x| over log |r| bends most; 0 where
/// it bends nowhere to the left, or most at an end.
double corner_of(const NormsAt& norms, double low, double high);

/// "l_curve": |x| over |r|, both logarithmic, with the points labelled by c, the line between them, the
/// corner (0: none) marked if it lies between them, and dashed what the tutorial plots for |r|. The line goes
/// over the range; the label of a point whose x is not right to a tenth has a question mark.
ReportCurve l_curve(const NormsAt& norms,
                    std::span<const CurvePoint> points,
                    std::pair<double, double> range,
                    double corner);

/// The least and the largest coefficient above 0 whose solution is right to a tenth; both 0 without any.
std::pair<double, double> range_of(std::span<const CurvePoint> points);

}  // namespace stencil::ridge
