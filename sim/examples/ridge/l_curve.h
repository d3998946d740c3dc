// The L-curve of a solved ridge problem: the norm of the solution over that of the residual, both
// logarithmic, for all c (P. C. Hansen, "Analysis of discrete ill-posed problems by means of the L-curve",
// SIAM Review 34, 1992). Its corner, where it bends most, is the usual choice of c.
#pragma once

#include <memory>
#include <span>

#include "kernels/examples/ridge/lsmr.h"
#include "sim/examples/report.h"
#include "sim/examples/ridge/problem.h"
#include "sim/examples/ridge/solution_check.h"

namespace stencil::ridge {

/// A coefficient that was solved for, and what fresh products say of its solution.
struct CurvePoint {
    double c = 0;
    SolutionCheck check;
    double error = 0;  ///< of x, in proportion to |x|: known, or bounded
};

/// The coefficient between `low` and `high` where log |x| over log |r| bends most; 0 where it bends nowhere
/// to the left, or most at an end.
double corner_of(const Bidiagonal& bidiagonal, double low, double high);

/// "l_curve": |x| over |r|, both logarithmic, with the points labelled by c, the line between them from the
/// bidiagonal matrix, its corner marked, and dashed what the tutorial plots for |r|. Line and corner are
/// those of the coefficients whose solutions are right to a tenth; the label of another has a question mark.
ReportCurve l_curve(const Bidiagonal& bidiagonal,
                    std::span<const CurvePoint> points,
                    const Scale& scale = {});

/// Moves along the line of l_curve(). Null where that has none.
std::shared_ptr<const LiveCurve> live_l_curve(const Bidiagonal& bidiagonal,
                                              std::span<const CurvePoint> points,
                                              const Scale& scale = {});

}  // namespace stencil::ridge
