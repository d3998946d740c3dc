// Coefficients of the integrators that the planner and the stability analysis read.
#pragma once

#include <vector>

#include "sim/model/step/stages.h"

namespace stencil::equation {

/// An explicit Runge-Kutta scheme (Butcher's tableau): k_i = f(u + dt sum_j a[i][j] k_j) at time nodes[i],
/// and the step is u + dt sum_i weights[i] k_i.
struct Tableau {
    std::vector<std::vector<double>> a;  ///< row i has i entries
    std::vector<double> weights;
    /// The step's weights less those of the embedded scheme, so that they weigh the estimated error; the last
    /// one belongs to the rates after the step.
    std::vector<double> errors;

    /// When stage i is, in steps after the step's start.
    double node(std::size_t i) const;
    /// The weights of the state of stage i; of the step, if i is the number of stages.
    const std::vector<double>& row(std::size_t i) const { return i < a.size() ? a[i] : weights; }
};

/// Null for integrators that have none of these tableaus.
const Tableau* tableau_of(SteppingScheme scheme);

/// A stage of RKL2 (Meyer, Balsara & Aslam, J. Comput. Phys. 257, 2014, eqs. 16 to 18), with d_j = Y_j - Y_0:
/// d_j = mu d_(j-1) + nu d_(j-2) + dt (rate f(Y_(j-1)) + start f(Y_0)), which is the state at time `node`.
struct LegendreStage {
    double mu = 0, nu = 0, rate = 0, start = 0, node = 0;
};
std::vector<LegendreStage> legendre_stages(int count);

}  // namespace stencil::equation
