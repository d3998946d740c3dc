// LSMR for min |A x - d|^2 + c^2 |x|^2 with many c at once: D. Fong and M. Saunders, "LSMR: An iterative
// algorithm for sparse least-squares problems", SIAM J. Sci. Comput. 33 (2011), with regularisation as in its
// section 5.2. The Golub-Kahan vectors u and v do not depend on c, so all c share the products with A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class CudaStream;
class ThreadPool;

/// The tests of scipy.sparse.linalg.lsmr, with CuPy's default tolerances.
struct LsmrTolerances {
    double atol = 1e-6;
    double btol = 1e-6;
    double conlim = 1e8;  ///< 0: no limit
};

/// Why the iteration for a coefficient ended.
enum class RidgeStop {
    none,
    certificate,      ///< the bound on the error of x is below the tolerance
    compatible,       ///< LSMR's test 1: |r| is small
    least_squares,    ///< LSMR's test 2: |A^T r| is small
    ill_conditioned,  ///< LSMR's test 3: the condition number reached conlim
    exact,            ///< the bidiagonalisation ended: x is exact up to rounding, which may have accumulated
                      ///< over the steps
    rounding,         ///< LSMR's tests 4 to 6: rounding prevents further progress
    iterations,       ///< the limit of steps was reached
};
const char* name_of(RidgeStop stop);

/// Factors of one step for one solution. Its vectors are updated in this order: hbar = h - hbar_factor hbar,
/// x += x_factor hbar, h = v - h_factor h.
struct LsmrUpdate {
    std::size_t solution = 0;
    double hbar_factor = 0, x_factor = 0, h_factor = 0;
};

/// The scalars of one coefficient; names are those of Algorithm LSMR. Norms and tests are those of LSMR on
/// the stacked matrix [A; c I], which takes the same steps.
class Lsmr {
  public:
    Lsmr(double c, double alpha1, double beta1);

    /// Step k, from beta_{k+1} and alpha_{k+1}.
    LsmrUpdate step(double beta, double alpha);

    std::int64_t iterations() const { return iterations_; }
    double c() const { return c_; }
    /// |A^T r - c^2 x|, from the recurrence.
    double gradient() const;
    /// Whether the gradient is at the level of rounding, given |x|: no further step improves x.
    bool at_rounding(double solution) const;
    /// The first of LSMR's tests that is fulfilled, given |x|.
    RidgeStop tested(const LsmrTolerances& tolerances, double solution) const;

  private:
    double last_residual(double betahat, double thetabar, double zeta_old);

    double c_;
    std::int64_t iterations_ = 0;
    double alphabar_, zetabar_, zeta_ = 0;
    double rho_ = 1, rhobar_ = 1, cbar_ = 1, sbar_ = 0;
    double betadd_, betad_ = 0, rhodold_ = 1, tautildeold_ = 0, thetatilde_ = 0, damped2_ = 0;
    double norm_a2_, norm_a_ = 0, maxrbar_ = 0, minrbar_ = std::numeric_limits<double>::infinity(),
                     condition_ = 1;
    double normb_, normr_;
};

/// The vectors of LSMR on a device: u and v, and h, hbar and x of each solution, all in float64 whatever the
/// matrix's precision. Every run gives the same bits.
class LsmrVectors {
  public:
    virtual ~LsmrVectors() = default;

    /// Sets u = d / |d|, and v and the vectors of all solutions to 0. Returns |d|.
    virtual double start(std::span<const double> d) = 0;
    /// u = A v - alpha u, normalised; returns its norm. A zero vector is not normalised.
    virtual double next_u(double alpha) = 0;
    /// Likewise v = A^T u - beta v.
    virtual double next_v(double beta) = 0;
    virtual void update(std::span<const LsmrUpdate> updates) = 0;
    /// |x| of one solution.
    virtual double length(std::size_t solution) = 0;
    /// x of the first `count` solutions (count x columns).
    virtual std::vector<double> solutions(std::size_t count) = 0;
};

/// `back` is the transposed matrix. The thread pool must outlive it.
template <class T>
std::unique_ptr<LsmrVectors> make_cpu_lsmr(const SparseMatrix<T>& a,
                                           const SparseMatrix<T>& back,
                                           std::size_t solutions,
                                           ThreadPool& threads);

/// By cuSPARSE and cuBLAS. The stream must outlive it. Throws CudaError and MissingLibrary.
template <class T>
std::unique_ptr<LsmrVectors> make_cuda_lsmr(const SparseMatrix<T>& a,
                                            const SparseMatrix<T>& back,
                                            std::size_t solutions,
                                            CudaStream& stream);

/// The lower bidiagonal B of the bidiagonalisation A V = U B, with |d| = beta[0] and |A^T u_1| = alpha[0].
/// Within the space spanned by V, the solution for any c follows from B alone.
struct Bidiagonal {
    std::vector<double> alpha, beta;

    std::int64_t steps() const { return alpha.empty() ? 0 : std::int64_t(alpha.size()) - 1; }

    struct Norms {
        double residual = 0;  ///< |A x - d|
        double solution = 0;  ///< |x|
    };
    /// Takes O(steps) operations.
    Norms norms_at(double c) const;
};

struct RidgeRule {
    bool certified = true;    ///< stop once |g| / (c^2 |x|) <= tolerance, a bound on the relative error of x
    double tolerance = 1e-6;  ///< tolerance of `certified`
    LsmrTolerances lsmr;      ///< tolerances of LSMR's own tests, used if not certified and for c = 0
    std::int64_t most_steps = 0;
};

struct RidgePoint {
    double c = 0;
    std::int64_t iterations = 0;  ///< steps until its rule was fulfilled
    RidgeStop stop = RidgeStop::none;
    double gradient = 0;  ///< |A^T (d - A x) - c^2 x|, from the recurrence
};

struct RidgePath {
    std::vector<RidgePoint> points;
    std::vector<double> x;  ///< points x columns
    Bidiagonal bidiagonal;
};

/// Iterates until the rule is fulfilled for every coefficient. `go_on` is called before each step and may
/// throw.
RidgePath solve_ridge_path(LsmrVectors& vectors,
                           std::span<const double> d,
                           std::span<const double> coefficients,
                           const RidgeRule& rule,
                           const std::function<void(double done)>& go_on);

}  // namespace stencil
