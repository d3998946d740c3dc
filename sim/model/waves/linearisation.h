// Small waves on a uniform state: how fast they grow, and the largest step that is stable.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
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

/// Formulas linearised at a uniform state: what each makes of small waves in the components.
class Linearisation {
  public:
    Linearisation(const Equations& equations, const std::vector<Node>& formulas, const UniformState& state);

    /// How formula r changes by a wave e^(i (kx column + ky row)) in component c, as [r * components() + c],
    /// of the formulas as they are stepped: kx, ky in radians a cell. Random numbers count as 0.
    std::vector<Complex> at(double kx, double ky) const;
    /// Without sensitivities.
    int components() const { return columns_; }
    double value(std::size_t formula) const { return values_[formula]; }
    /// Waves of (kx, ky) and (kx, -ky) may change in other ways, because a difference is odd.
    bool directed() const { return directed_; }
    friend bool operator==(const Linearisation&, const Linearisation&) = default;

  private:
    // A multiple of a sum of waves; the first ones are the components' own.
    struct Part {
        struct Summand {
            int part = 0;
            double factor = 0;
            friend bool operator==(const Summand&, const Summand&) = default;
        };
        Op op = Op::stored;  ///< whose symbol multiplies the sum; stored: 1
        std::int8_t column = 0, row = 0;
        int count = 0;
        std::array<Summand, 3> terms{};
        friend bool operator==(const Part&, const Part&) = default;
    };

    int columns_ = 0;
    bool directed_ = false;
    std::vector<Part> parts_;
    std::vector<int> roots_;  ///< of each formula, -1: no wave changes it
    std::vector<double> values_;
};

/// Of all components in their order, without sensitivities, which grow as they do.
std::vector<Node> formulas_of(const Equations& equations);
/// Some component's formula is its next value.
bool has_maps(const Equations& equations);

/// The eigenvalues of an n x n matrix, row-major.
std::vector<Complex> eigenvalues(std::vector<Complex> matrix, int n);
/// Its inverse; not finite where there is none.
std::vector<Complex> inverse(const std::vector<Complex>& matrix, int n);

/// The growth rates (real parts, largest first) and frequencies of waves along x of k radians a cell: the
/// dispersion relation of the discretised equations. Components that are mere functions of others (v' =
/// lap(u) beside du/dt = ...) have no rate of their own: they are put in place in the others' rates.
std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k);

/// The largest stable time step, and what sets it.
struct StableStep {
    double dt = 0;          ///< infinite where any step is stable, 0 where none is, NaN where it is unknown
    std::string component;  ///< whose term it is
    std::string term;       ///< as typed; empty where no single term is to blame
    bool downwind = false;  ///< no step is stable because first derivatives let waves grow
    bool known() const { return !std::isnan(dt); }
};

/// At the worst of the states, over waves of all directions. A step is stable where it damps each wave, or
/// lets it grow faster than it does in truth by no more than a tenth of the fastest growth that the
/// equations have: von Neumann's condition as Lax & Richtmyer (1956) have it, |G| <= 1 + O(dt). Unknown where
/// the rates are not finite at any of the states.
StableStep stable_step(const Equations& equations,
                       SteppingScheme scheme,
                       const std::vector<UniformState>& states);

}  // namespace stencil::equation
