#include "kernels/examples/ridge/lsmr.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stencil {
namespace {

struct Rotation {
    double c, s, r;
};

Rotation rotation(double a, double b) {
    if (b == 0) return {a < 0 ? -1.0 : 1.0, 0, std::abs(a)};
    if (a == 0) return {0, b < 0 ? -1.0 : 1.0, std::abs(b)};
    if (std::abs(b) > std::abs(a)) {
        const double tau = a / b;
        const double s = std::copysign(1 / std::sqrt(1 + tau * tau), b);
        return {s * tau, s, b / s};
    }
    const double tau = b / a;
    const double c = std::copysign(1 / std::sqrt(1 + tau * tau), a);
    return {c, c * tau, a / c};
}

double ratio(double a, double b) {
    return b == 0 ? 0 : a / b;
}

}  // namespace

const char* name_of(RidgeStop stop) {
    constexpr const char* kNames[] = {"under way",
                                      "certificate",
                                      "|r| small",
                                      "|A^T r| small",
                                      "ill-conditioned",
                                      "end of the process",
                                      "rounding",
                                      "iterations"};
    return kNames[int(stop)];
}

Lsmr::Lsmr(double c, double alpha1, double beta1)
    : c_(c),
      alphabar_(alpha1),
      zetabar_(alpha1 * beta1),
      betadd_(beta1),
      norm_a2_(alpha1 * alpha1),
      normb_(beta1),
      normr_(beta1),
      normar_(alpha1 * beta1) {}

void Lsmr::step(double process_beta, double process_alpha) {
    ++iterations_;
    // The bidiagonal B' of the stacked matrix [A; c I] has B'^T B' = B^T B + c^2 I, tridiagonal:
    //     alpha'_k^2 + beta'_{k+1}^2 = alpha_k^2 + beta_{k+1}^2 + c^2,    alpha'_{k+1} beta'_{k+1} =
    //     alpha_{k+1} beta_{k+1}
    // With excess_ = alpha_k^2 - alpha'_k^2 no term of the recurrence is a difference.
    const double shift = c_ * c_ + excess_;
    const double beta = shift == 0 ? process_beta : std::sqrt(process_beta * process_beta + shift);
    const double share = ratio(process_alpha, beta);
    const double alpha = share * process_beta;
    excess_ = share * share * shift;

    // Step 4 of Algorithm LSMR: the rotation P_k, which takes beta_{k+1} out of B_k and leaves the next row
    // of R_k.
    const auto [c, s, rho] = rotation(alphabar_, beta);
    const double theta_next = s * alpha;
    alphabar_ = c * alpha;

    // Step 5: the rotation Pbar_k, which takes theta_{k+1} out of R_k^T and leaves the next row of Rbar_k.
    const double rhobar_old = factors_.empty() ? 1 : factors_.back().rhobar;
    const double zeta_old = factors_.empty() ? 0 : factors_.back().zeta;
    const double thetabar = sbar_ * rho;
    const double rho_temp = cbar_ * rho;
    const auto [cbar, sbar, rhobar] = rotation(rho_temp, theta_next);
    cbar_ = cbar;
    sbar_ = sbar;
    const double zeta = cbar * zetabar_;
    zetabar_ *= -sbar;
    factors_.push_back({rho, theta_next, rhobar, thetabar, zeta});

    track_residual(c, s, zeta_old);
    track_condition(beta, alpha, rho_temp, rhobar_old);
    normar_ = std::abs(zetabar_);  // |A^T r_k| is |zetabar_{k+1}|
}

// |r_k|: the rotation Ptilde_k makes Rbar_k^T upper bidiagonal, and forward substitution follows its
// right-hand side (section 3 of the paper, "Computing |r_k|"; dd and d stand for two dots and one, tautilde
// for tilde tau).
void Lsmr::track_residual(double c, double s, double zeta_old) {
    const double thetabar = factors_.back().thetabar, rhobar = factors_.back().rhobar;
    const double zeta = factors_.back().zeta;
    const double betahat = c * betadd_;
    betadd_ *= -s;
    const double thetatilde_old = thetatilde_;
    const auto [ctilde, stilde, rhotilde] = rotation(rhodold_, thetabar);
    thetatilde_ = stilde * rhobar;
    rhodold_ = ctilde * rhobar;
    betad_ = -stilde * betad_ + ctilde * betahat;
    tautildeold_ = ratio(zeta_old - thetatilde_old * tautildeold_, rhotilde);
    const double taud = ratio(zeta - thetatilde_ * tautildeold_, rhodold_);
    normr_ = std::sqrt((betad_ - taud) * (betad_ - taud) + betadd_ * betadd_);
}

// Estimates of |A| (Frobenius, of B_k) and of cond(A) (the diagonal of Rbar_k), as in the same section.
void Lsmr::track_condition(double beta, double alpha, double rho_temp, double rhobar_old) {
    norm_a2_ += beta * beta;
    norm_a_ = std::sqrt(norm_a2_);
    norm_a2_ += alpha * alpha;
    maxrbar_ = std::max(maxrbar_, rhobar_old);
    if (iterations_ > 1) minrbar_ = std::min(minrbar_, rhobar_old);
    condition_ = ratio(std::max(maxrbar_, rho_temp), std::min(minrbar_, rho_temp));
}

// Rbar t = z and R y = t, both upper bidiagonal: from the last row up in one go.
std::vector<double> Lsmr::solve() const {
    std::vector<double> y(factors_.size());
    double theta = 0, t = 0, thetabar_next = 0, value = 0;
    for (std::size_t i = factors_.size(); i-- > 0;) {
        const Factors& f = factors_[i];
        t = ratio(f.zeta - thetabar_next * t, f.rhobar);
        theta = i + 1 < factors_.size() ? f.theta_next : 0;
        value = ratio(t - theta * value, f.rho);
        thetabar_next = f.thetabar;
        y[i] = value;
    }
    return y;
}

bool Lsmr::may_be_compatible(const LsmrTolerances& tolerances, double solution) const {
    return normr_ <= tolerances.btol * normb_ + tolerances.atol * norm_a_ * solution ||
           normr_ <= 1e-15 * (normb_ + norm_a_ * solution);
}

bool Lsmr::at_rounding(double solution) const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    return normar_ <= kEpsilon * maxrbar_ * (normr_ + maxrbar_ * solution);
}

// The rules S1, S2 and S3 of the paper, and each again at the rounding of float64.
RidgeStop Lsmr::tested(const LsmrTolerances& tolerances, double solution) const {
    const double test1 = normr_ / normb_;
    const double scale = norm_a_ * normr_;
    const double test2 = scale != 0 ? normar_ / scale : std::numeric_limits<double>::infinity();
    const double test3 = 1 / condition_;
    if (test1 <= tolerances.btol + tolerances.atol * norm_a_ * solution / normb_)
        return RidgeStop::compatible;
    if (test2 <= tolerances.atol) return RidgeStop::least_squares;
    if (tolerances.conlim > 0 && test3 <= 1 / tolerances.conlim) return RidgeStop::ill_conditioned;
    const double t1 = test1 / (1 + norm_a_ * solution / normb_);
    if (1 + t1 <= 1 || 1 + test2 <= 1 || 1 + test3 <= 1) return RidgeStop::rounding;
    return RidgeStop::none;
}

double Bidiagonal::dominant_part(double c) const {
    const double sigma = dominant.sigma;
    return sigma == 0 ? 0 : sigma * dominant.p_dot_d / (sigma * sigma + c * c);
}

ProjectedSolution Bidiagonal::solve(double c, std::int64_t steps) const {
    if (steps == 0) steps = this->steps();
    ProjectedSolution result;
    result.xi = dominant_part(c);
    double residual2 = dominant.p_dot_d - dominant.sigma * result.xi;
    residual2 *= residual2;
    double solution2 = result.xi * result.xi;
    if (!beta.empty() && (trivial() || steps == 0)) residual2 += beta[0] * beta[0];
    if (!trivial() && steps > 0) {
        Lsmr lsmr(c, alpha[0], beta[0]);
        for (std::int64_t k = 1; k <= steps; ++k) lsmr.step(beta[std::size_t(k)], alpha[std::size_t(k)]);
        result.y = lsmr.solve();
        result.gradient = lsmr.gradient();
        // The residual in the basis U: beta_1 e_1 - B y.
        double above = beta[0];
        for (std::size_t i = 0; i < result.y.size(); ++i) {
            const double r = above - alpha[i] * result.y[i];
            residual2 += r * r;
            solution2 += result.y[i] * result.y[i];
            above = -beta[i + 1] * result.y[i];
        }
        residual2 += above * above;
    }
    result.residual = std::sqrt(residual2);
    result.solution = std::sqrt(solution2);
    return result;
}

}  // namespace stencil
