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
    exact,            ///< the process ended: x is exact up to rounding
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
    /// What test 1 holds against |r|, given |x|.
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

}  // namespace stencil
