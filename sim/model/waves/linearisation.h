// Small waves on a uniform state: how fast they grow, and the largest step that is stable.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/step/stages.h"

namespace stencil::equation {

using Complex = std::complex<double>;

/// Where formulas are taken: at one place, with one value of each component everywhere.
struct UniformState {
    std::vector<double> components, parameters;
    double spacing = 1, dt = 1;
    int nx = 1, ny = 1;
    double x = 0, y = 0, t = 0;
    std::vector<double> data = {};  ///< of pictures and arrays; 1 where there is none
};

/// What a formula is worth.
double value_at(const Equations& equations, Node formula, const UniformState& state);

/// The rate of change of component r by a wave e^(i (kx column + ky row)) in component c, as jacobian[r * n +
/// c], of the formulas as they are stepped: kx, ky in radians a cell. Random numbers count as 0.
std::vector<Complex> jacobian(const Equations& equations,
                              const std::vector<Node>& formulas,
                              const UniformState& state,
                              double kx,
                              double ky);

/// Of all components in their order, without sensitivities, which grow as they do.
std::vector<Node> formulas_of(const Equations& equations);
/// Some component's formula is its next value.
bool has_maps(const Equations& equations);

/// The eigenvalues of an n x n matrix, row-major.
std::vector<Complex> eigenvalues(std::vector<Complex> matrix, int n);
/// Its inverse; not finite where there is none.
std::vector<Complex> inverse(const std::vector<Complex>& matrix, int n);

/// The growth rates (real parts, largest first) and frequencies of waves along x of k radians a cell: the
/// dispersion relation of the discretised equations.
std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k);

/// The largest stable time step, and what sets it.
struct StableStep {
    double dt = 0;          ///< infinite where any step is stable or there are maps, 0 where none is
    std::string component;  ///< whose term it is
    std::string term;       ///< as typed; empty where no single term is to blame
};

/// At the worst of the states, over waves of all directions. Waves that grow by themselves set no limit: a
/// step is stable where no wave grows by more than it does in truth.
StableStep stable_step(const Equations& equations,
                       SteppingScheme scheme,
                       const std::vector<UniformState>& states);

}  // namespace stencil::equation
