// All coefficients' ridge problems from one Golub-Kahan process.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/examples/ridge/golub_kahan/golub_kahan.h"

namespace stencil {

struct RidgeRule {
    bool certified = true;    ///< stop once |g| / (c^2 |x|) <= tolerance, a bound on the relative error of x
    double tolerance = 1e-6;  ///< of the certificate
    LsmrTolerances lsmr;      ///< of LSMR's own tests, where not certified and for c = 0
    std::int64_t most_steps = 0;
};

struct RidgePoint {
    double c = 0;
    std::int64_t iterations = 0;  ///< at which its rule was met
    RidgeStop stop = RidgeStop::none;
    ProjectedSolution projected;  ///< after all steps of the process
};

/// Runs the process until every coefficient's rule is met. `go_on` is asked about every few milliseconds and
/// may throw. The solutions of all coefficients are those after the last step: the further steps improve them
/// for nothing.
std::vector<RidgePoint> solve_ridge_path(GolubKahan& process,
                                         std::span<const double> d,
                                         std::span<const double> coefficients,
                                         const RidgeRule& rule,
                                         const std::function<void(double done)>& go_on);

}  // namespace stencil
