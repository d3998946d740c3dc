// Analysis of the values of fields: the radially averaged power spectrum, and the density of cells
// in the plane of two components.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil {

/// `power[i]` is the mean squared amplitude of waves with wave numbers near `wave_number[i]`, in radians per
/// length; the field's mean is excluded.
struct RadialSpectrum {
    std::vector<double> wave_number, power;
};

/// Returns why the spectrum is not available; empty if FFTW is present.
const std::string& why_no_spectrum();

/// Computes the spectrum of (ny, nx) row-major values over a periodic area with these side lengths. Rings are
/// as wide as the wave number of the longest wave, up to the finest wave along an axis. Empty if a value is
/// not finite or there is no wave. Throws MissingLibrary.
RadialSpectrum radial_spectrum(std::vector<double> values, int nx, int ny, double length_x, double length_y);

/// With a header line.
std::string spectrum_csv(const RadialSpectrum& spectrum);

/// A histogram of bins x bins equal boxes between the smallest and largest finite values.
struct PlaneDensity {
    ValueRange x, y;
    int bins = 0;
    std::vector<std::uint64_t> counts;  ///< (bins, bins), x the fast index; empty if there is no finite cell

    /// Returns the middle of a box along an axis.
    double middle(const ValueRange& axis, int box) const {
        return axis.low + (box + 0.5) * (axis.high - axis.low) / bins;
    }
};

/// Counts cells by the values of two components, in the same order; non-finite ones are ignored.
PlaneDensity plane_density(std::span<const double> x, std::span<const double> y, int bins);

/// Lists the non-empty boxes: their middles, under the components' names, and counts.
std::string plane_csv(const PlaneDensity& density, const std::string& x_name, const std::string& y_name);

}  // namespace stencil
