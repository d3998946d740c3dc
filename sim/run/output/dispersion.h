// The dispersion relation of a run: growth of small waves about the steady state near the mean of its field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/figure/chart.h"
#include "sim/model/stability/linearisation.h"
#include "sim/run/output/spectrum.h"

namespace stencil {

struct RunSpec;

/// Rates of waves along x, in the run's own lengths and times.
struct WaveRates {
    std::vector<double> k;  ///< wave numbers in radians per length, from 0 in equal steps
    /// Growth rate + i * frequency of each branch, by k; at each k the fastest growing branch comes first.
    std::vector<std::vector<equation::Complex>> branches;
};

struct DispersionRelation {
    equation::BaseState base;  ///< about which the equations are linearised
    WaveRates all;             ///< up to the shortest wave that the cells resolve
    WaveRates telling;         ///< up to where the fastest branch has sunk out of sight

    struct Wave {
        double k = 0, rate = 0, frequency = 0;
        double length() const;  ///< infinite for the uniform mode, k = 0
    };
    std::optional<Wave> fastest;  ///< the wave that grows fastest; empty if none grows

    /// Names the fastest wave with its numbers, or says that no wave grows.
    std::string text(const RunSpec& now) const;
    /// "about u = 1, v = 0.9", or that the mean is no steady state.
    std::string about(const RunSpec& now) const;
};

/// Why the model has no dispersion relation; empty if it has one.
std::string why_no_dispersion(const RunSpec& spec);

/// Computes it for the present settings, about the steady state that Newton's method reaches from `means`,
/// those of the components; where it reaches none, about the means. The model must have a relation.
DispersionRelation dispersion_relation(const RunSpec& now, const std::vector<double>& means, double time);

/// One row per wave number: k, then rate and frequency of each branch, then the base state, and how fast it
/// changes.
std::string dispersion_csv(const DispersionRelation& relation, const RunSpec& now);

/// Plots growth rates (solid) and frequencies (dashed), in physical units if there are any. The growing
/// branch fills the height: what decays faster than twice as fast as it grows is cut off.
figure::Chart dispersion_chart(const DispersionRelation& relation, const RunSpec& now);
/// Plots a measured spectrum of `of` over the same wave numbers, with the fastest growing one marked.
figure::Chart dispersion_spectrum(const DispersionRelation& relation,
                                  const RadialSpectrum& spectrum,
                                  const std::string& of,
                                  const RunSpec& now);

}  // namespace stencil
