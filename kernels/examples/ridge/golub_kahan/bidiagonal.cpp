#include "kernels/examples/ridge/golub_kahan/bidiagonal.h"

#include <cmath>

namespace stencil {

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
