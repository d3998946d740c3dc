// How far off the solutions of further coefficients can be, which no fresh product was made for.
#pragma once

#include <span>

#include "kernels/examples/ridge/golub_kahan/bidiagonal.h"
#include "sim/examples/ridge/solution_check.h"

namespace stencil {

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

}  // namespace stencil
