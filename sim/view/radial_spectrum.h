// Radially averaged power spectrum of a field.
#pragma once

#include <string>
#include <vector>

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

}  // namespace stencil
