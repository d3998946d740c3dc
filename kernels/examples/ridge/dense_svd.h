// The ridge problem by the singular values of a small dense matrix, for all c at once and also for c = 0.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernels/examples/ridge/lsmr.h"

namespace stencil {

/// The arithmetic of reference solutions: 113 bits where the compiler has them.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Wide = __float128;
#else
using Wide = long double;
#endif

/// QR with column pivoting, then one-sided Jacobi rotations of the rows of R (Z. Drmac and K. Veselic, "New
/// fast and accurate Jacobi SVD algorithm", SIAM J. Matrix Anal. Appl. 29, 2008), which keep small singular
/// values right where rows or columns have different scales. Real is double or Wide.
template <class Real>
class DenseSvd {
  public:
    /// Takes about 2 rows columns n + 20 n^3 operations, n the lesser of rows and columns. `pause` is called
    /// between pieces of work of some tenths of a second, and may throw.
    template <class T>
    DenseSvd(const SparseMatrix<T>& a,
             std::span<const double> d,
             ThreadPool& threads,
             const std::function<void()>& pause);

    /// The x of minimal length. Singular values that are nothing but rounding count as 0 unless c hides them.
    std::vector<Wide> solve(double c) const;
    /// (A^T A + c^2 I)^-1 g for g in the span of the rows that solve() uses.
    std::vector<Wide> apply_inverse(std::span<const Wide> g, double c) const;
    /// Whether the singular values that solve() uses are far above those that it takes for 0.
    bool has_clear_rank(double c) const { return clear_ || (whole_ && rank(c) == rows_.size()); }
    /// Singular values that solve() uses.
    std::size_t rank(double c) const;
    Bidiagonal::Norms norms_at(double c) const;

  private:
    bool is_rounding(std::size_t j) const { return !(sigma2_[j] > 100 * noise_[j] * noise_[j]); }
    bool is_zero(std::size_t j, double c) const {
        return is_rounding(j) &&
               (Real(c) < 100 * noise_[j] || (clear_ && Real(c) * Real(c) < 1e10 * noise_[j] * scale_));
    }
    void rotate_all(ThreadPool& threads, const std::function<void()>& pause);
    bool rotate(std::size_t p, std::size_t q);
    template <class T>
    bool maps_to_zero(const SparseMatrix<T>& a) const;

    std::size_t columns_;
    std::vector<std::vector<Real>> rows_;      // sigma_j v_j^T
    std::vector<Real> data_, noise_, sigma2_;  // u_j^T d; rounding errors in the rows' lengths; sigma_j^2
    Real outside_ = 0;                         // squared length of d outside of the range of A
    Real scale_ = 0;                           // of the largest singular value
    bool whole_ = true;                        // as many rows as a matrix of this size can have
    bool clear_ = true;  // what counts as 0 is 0: a gap lies between rounding and the other singular values
};

}  // namespace stencil
