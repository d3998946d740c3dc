// What Golub-Kahan bidiagonalisation leaves behind: A V = U B with orthonormal columns of U and V and a lower
// bidiagonal B (G. Golub and W. Kahan 1965; in the form "Bidiag 1" of C. Paige and M. Saunders, LSQR, ACM
// Trans. Math. Softw. 8, 1982). V and B do not depend on c: for every c the solution in the space of V and
// all its norms follow from B alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/examples/ridge/lsmr.h"

namespace stencil {

/// A singular value far above the others, taken out of the process: A q = sigma p, A^T p = sigma q. The
/// process then works in the complement, where it needs fewer steps.
struct DominantPart {
    double sigma = 0;    ///< 0: none was taken out
    double p_dot_d = 0;  ///< of the right-hand side
};

/// A solution x = V y + xi q.
struct ProjectedSolution {
    std::vector<double> y;
    double xi = 0;
    double residual = 0;  ///< |A x - d|
    double solution = 0;  ///< |x|
    double gradient = 0;  ///< |A^T (d - A x) - c^2 x|
};

struct Bidiagonal {
    /// beta[0] v... : d (or what is left of it) = beta[0] u_1, A^T u_1 = alpha[0] v_1; step k adds beta[k]
    /// and alpha[k]. An exact 0 ends the process.
    std::vector<double> alpha, beta;
    DominantPart dominant;

    /// Steps with a next beta and alpha.
    std::int64_t steps() const { return alpha.empty() ? 0 : std::int64_t(alpha.size()) - 1; }
    /// There is nothing to iterate: d = 0, or A^T d = 0.
    bool trivial() const { return alpha.empty() || alpha[0] == 0 || beta[0] == 0; }
    /// xi of a coefficient.
    double dominant_part(double c) const;

    /// LSMR's solution after `steps` steps (0: all), in O(steps).
    ProjectedSolution solve(double c, std::int64_t steps = 0) const;
};

}  // namespace stencil
