// The L-curve of a solved ridge problem: the norm of the solution over that of the residual, both
// logarithmic, for all c (P. C. Hansen, "Analysis of discrete ill-posed problems by means of the L-curve",
// SIAM Review 34, 1992). Its corner, where it bends most, is the usual choice of c.
#pragma once

#include <memory>
#include <span>

#include "kernels/examples/ridge/lsmr.h"
#include "sim/examples/report/report.h"
#include "sim/examples/ridge/solution_check.h"

namespace stencil::ridge {

/// A coefficient that was solved for, and what fresh products say of its solution.
struct CurvePoint {
    double c = 0;
    double gradient = 0;  ///< of the process's own recurrence
    SolutionCheck check;
};

/// The recurrence's gradient falls far below what rounding leaves of the true one. That is measured at the
/// coefficients that were solved for, as a share of |A| |r| + c^2 |x|, and several times the largest share is
/// added to every other gradient.
class FurtherBound {
  public:
    /// `frobenius` is the norm of A.
    FurtherBound(std::span<const CurvePoint> solved, double frobenius);

    /// |g| / (c^2 |x|), about how far x is off in proportion to |x|; infinite for c = 0.
    double at(double c, const ProjectedSolution& x) const;

  private:
    double frobenius_, rounding_ = 0;
};

/// The coefficient of `low` to `high` where log |x| over log |r| bends most; 0 where it bends nowhere to the
/// left.
double corner_of(const Bidiagonal& bidiagonal, double low, double high);

/// "l_curve": |x| over |r|, both logarithmic, with the points labelled by c, the line between them from the
/// process, its corner marked, and dashed what the tutorial plots for |r|.
ReportCurve l_curve(const Bidiagonal& bidiagonal, std::span<const CurvePoint> points);

/// Moves along l_curve(). Null where there are fewer than two coefficients above 0.
std::shared_ptr<const LiveCurve> live_l_curve(const Bidiagonal& bidiagonal,
                                              std::span<const CurvePoint> points,
                                              const FurtherBound& bound);

}  // namespace stencil::ridge
