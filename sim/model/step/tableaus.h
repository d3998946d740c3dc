// Coefficients of the integrators that the planner and the stability analysis read.
#pragma once

#include <vector>

#include "sim/model/step/stages.h"

namespace stencil::equation {

/// An explicit Runge-Kutta scheme (Butcher's tableau): k_i = f(u + dt sum_j a[i][j] k_j) at time nodes[i], and
/// the step is u + dt sum_i weights[i] k_i.
struct Tableau {
    std::vector<std::vector<double>> a;  ///< row i has i entries
    std::vector<double> weights;

    /// When stage i is, in steps after the step's start.
    double node(std::size_t i) const;
    /// The weights of the state of stage i; of the step, if i is the number of stages.
    const std::vector<double>& row(std::size_t i) const { return i < a.size() ? a[i] : weights; }
};

/// Null for integrators that have none of these tableaus.
const Tableau* tableau_of(SteppingScheme scheme);

}  // namespace stencil::equation
