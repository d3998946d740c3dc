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

/// Why the iteration for a coefficient ended.
enum class RidgeStop {
    none,
    certificate,    ///< the bound on the error of x is below the tolerance
    least_squares,  ///< without c: |A^T r| is small (test S2 of the paper)
    exact,          ///< the bidiagonalisation ended: x is exact up to rounding, which may have accumulated
                    ///< over the steps
    rounding,       ///< rounding prevents further progress
    condition,      ///< the estimated condition of the stacked matrix is too large (test S3 of the paper)
    iterations,     ///< the limit of steps was reached
};
const char* name_of(RidgeStop stop);

/// Factors of one step for one solution. Its vectors are updated in this order: hbar = h - hbar_factor hbar,
/// x += x_factor hbar, h = v - h_factor h.
struct LsmrUpdate {
    std::size_t solution = 0;
    double hbar_factor = 0, x_factor = 0, h_factor = 0;
};

/// The scalars of one coefficient; names are those of Algorithm LSMR. Norms are those of the stacked matrix
/// [A; c I], on which LSMR takes the same steps.
class Lsmr {
  public:
    Lsmr(double c, double alpha1, double beta1);

    /// Step k, from beta_{k+1} and alpha_{k+1}.
    LsmrUpdate step(double beta, double alpha);

    std::int64_t iterations() const { return iterations_; }
    double c() const { return c_; }
    /// |A^T r - c^2 x|, from the recurrence.
    double gradient() const;
    /// The gradient at which to stop, given |x|. With c it bounds the relative error of x by the tolerance:
    /// c^2 |x| times that. Without c it is |A| |r| times 1e-4 of the tolerance (test S2 of the paper).
    double aim(double tolerance, double solution) const;
    /// Whether the gradient is at the level of rounding, given |x|: no further step improves x.
    bool at_rounding(double solution) const;
    /// An estimate of the stacked matrix's condition.
    double condition() const { return condition_; }

  private:
    double last_residual(double betahat, double thetabar, double zeta_old);

    double c_;
    std::int64_t iterations_ = 0;
    double alphabar_, zetabar_, zeta_ = 0;
    double rho_ = 1, rhobar_ = 1, cbar_ = 1, sbar_ = 0;
    double betadd_, betad_ = 0, rhodold_ = 1, tautildeold_ = 0, thetatilde_ = 0, damped2_ = 0;
    double maxrbar_ = 0;  // estimates |A|
    double minrbar_ = std::numeric_limits<double>::max(), condition_ = 1;
    double normr_;
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
    /// x of all solutions (solutions x columns).
    virtual std::vector<double> solutions() = 0;
};

/// `back` is the transposed matrix. All arguments must outlive it.
template <class T>
std::unique_ptr<LsmrVectors> make_cpu_lsmr(const SparseMatrix<T>& a,
                                           const SparseMatrix<T>& back,
                                           std::size_t solutions,
                                           ThreadPool& threads);

/// By cuSPARSE and cuBLAS. The stream must outlive it. Throws CudaError, also where the matrix has
/// 2^31 nonzeros or more, and MissingLibrary.
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
    double tolerance = 1e-6;  ///< of the relative error of x (Lsmr::aim)
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
