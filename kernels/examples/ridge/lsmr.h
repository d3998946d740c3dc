// The scalar side of LSMR for min |A x - d|^2 + c^2 |x|^2: two QR factorisations of a bidiagonal matrix by
// Givens rotations, and the stopping rules of SciPy and CuPy. D. Fong and M. Saunders, "LSMR: An iterative
// algorithm for sparse least-squares problems", SIAM J. Sci. Comput. 33 (2011); names are those of its
// Algorithm LSMR.
#pragma once

#include <cstdint>
#include <vector>

namespace stencil {

/// The tests of scipy.sparse.linalg.lsmr, with CuPy's default tolerances.
struct LsmrTolerances {
    double atol = 1e-6;
    double btol = 1e-6;
    double conlim = 1e8;  ///< 0: no limit
};

/// Why a coefficient's iteration ended.
enum class RidgeStop {
    none,
    certificate,      ///< the bound on the error of x is met
    compatible,       ///< LSMR's test 1: |r| is small
    least_squares,    ///< LSMR's test 2: |A^T r| is small
    ill_conditioned,  ///< LSMR's test 3: the condition number reached conlim
    exact,            ///< the process ended: x is exact up to rounding, which may have grown with the steps
    rounding,         ///< LSMR's tests 4 to 6: no more can be gained in this arithmetic
    iterations,       ///< as many steps as were allowed
};
const char* name_of(RidgeStop stop);

/// One coefficient's recurrences along a Golub-Kahan process A V = U B that knows nothing of c. That of the
/// stacked matrix [A; c I] has the same V, and its own bidiagonal matrix follows from B by a recurrence
/// without subtractions, so that all norms and tests are those of LSMR on the stacked system.
class Lsmr {
  public:
    Lsmr(double c, double alpha1, double beta1);

    /// Step k from alpha_k, beta_{k+1} and alpha_{k+1}.
    void step(double beta, double alpha_next);

    std::int64_t iterations() const { return iterations_; }
    double c() const { return c_; }
    /// |A^T r - c^2 x|, from the recurrence.
    double gradient() const { return normar_; }
    /// The gradient is what rounding leaves of it, given |x|: no further step makes x better.
    bool at_rounding(double solution) const;

    /// x = V y with this y (iterations()).
    std::vector<double> solve() const;

    /// The first of LSMR's tests that holds, given |x|.
    RidgeStop tested(const LsmrTolerances& tolerances, double solution) const;
    /// The bound of test 1 on |r|, given |x|.
    bool may_be_compatible(const LsmrTolerances& tolerances, double solution) const;

  private:
    void track_residual(double c, double s, double zeta_old);
    void track_condition(double beta, double alpha, double rho_temp, double rhobar_old);

    double c_;
    double excess_ = 0;  // alpha_k^2 less that of the stacked process
    std::int64_t iterations_ = 0;
    double alphabar_, zetabar_;
    double cbar_ = 1, sbar_ = 0;
    double betadd_, betad_ = 0, rhodold_ = 1, tautildeold_ = 0, thetatilde_ = 0;
    double norm_a2_, norm_a_ = 0, maxrbar_ = 0, minrbar_ = 1e100, condition_ = 1;
    double normb_, normr_, normar_;

    // Entries of the two upper bidiagonal factors R and Rbar, and of the right-hand side, that a step adds.
    struct Factors {
        double rho, theta_next, rhobar, thetabar, zeta;
    };
    std::vector<Factors> factors_;
};

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

/// The result of Golub-Kahan bidiagonalisation: A V = U B with orthonormal columns of U and V and a
/// lower bidiagonal B (G. Golub and W. Kahan 1965; in the form "Bidiag 1" of C. Paige and M. Saunders, LSQR,
/// ACM Trans. Math. Softw. 8, 1982). V and B do not depend on c: for every c the solution in the space of V
/// and all its norms follow from B alone.
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
