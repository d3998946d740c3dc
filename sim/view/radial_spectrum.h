// How much of a field's variation has which wave number.
#pragma once

#include <string>
#include <vector>

namespace stencil {

/// `power[i]` is the mean squared amplitude of the waves whose wave numbers lie nearest to `wave_number[i]`,
/// in radians per length; the mean of the field counts for nothing.
struct RadialSpectrum {
    std::vector<double> wave_number, power;
};

/// Empty where FFTW is there.
const std::string& why_no_spectrum();

/// Of (ny, nx) values, row-major, over a periodic area of these lengths: rings as wide as its longest wave,
/// up to the finest wave along an axis. Empty where a value is not finite or there is no wave. Throws
/// MissingLibrary.
RadialSpectrum radial_spectrum(std::vector<double> values, int nx, int ny, double length_x, double length_y);

/// With a header.
std::string spectrum_csv(const RadialSpectrum& spectrum);

}  // namespace stencil
