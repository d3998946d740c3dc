// The radially averaged power spectrum of a field, its chart and its table.
#pragma once

#include <string>
#include <vector>

#include "sim/figure/chart.h"

namespace stencil {

struct Observable;
struct RunSpec;
class Field;
class Solver;

/// `power[i]` is the mean squared amplitude of waves with wave numbers near `wave_number[i]`, in radians per
/// length; the field's mean is excluded.
struct RadialSpectrum {
    std::vector<double> wave_number, power;
};

/// Returns why the spectrum is not available; empty if FFTW is present.
std::string why_no_spectrum();

/// Computes the spectrum of (ny, nx) row-major values over a periodic area with these side lengths. Rings are
/// as wide as the wave number of the longest wave, up to the finest wave along an axis. Empty if a value is
/// not finite or there is no wave. Throws MissingLibrary.
RadialSpectrum radial_spectrum(
    const std::vector<double>& values, int nx, int ny, double length_x, double length_y);
RadialSpectrum spectrum_of(const Field& field, const RunSpec& spec);
/// Averages large fields first, so that this takes about a millisecond; empty without FFTW.
RadialSpectrum measure_spectrum(Solver& solver, const Observable& what, const RunSpec& spec);

/// With a header line.
std::string spectrum_csv(const RadialSpectrum& spectrum);

/// Plots mean power over wave number on logarithmic axes; `of` names the field. Wave numbers are shown per
/// unit of length, whose size is `length` of theirs.
figure::Chart spectrum_chart(const RadialSpectrum& spectrum,
                             const std::string& of,
                             double length = 1,
                             const std::string& unit = "");

}  // namespace stencil
