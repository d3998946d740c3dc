// The L-curve of a solved ridge problem: the norm of the solution over that of the residual, both
// logarithmic, for all c (P. C. Hansen, "Analysis of discrete ill-posed problems by means of the L-curve",
// SIAM Review 34, 1992). Its corner, where it bends most, is the usual choice of c.
#pragma once

#include <memory>
#include <span>

#include "sim/examples/report/report.h"
#include "sim/examples/ridge/further_bound.h"

namespace stencil {

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

}  // namespace stencil
