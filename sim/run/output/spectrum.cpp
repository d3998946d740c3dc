#include "sim/run/output/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <mutex>
#include <numbers>
#include <utility>

#include "kernels/methods/spectral/fftw.h"
#include "sim/field/pixels.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {
namespace {

using Complex = std::complex<double>;

// Returns (ny, nx / 2 + 1) amplitudes, row-major.
std::vector<Complex> transformed(std::vector<double> values, int nx, int ny) {
    std::vector<Complex> waves(std::size_t(ny) * std::size_t(nx / 2 + 1));
    std::unique_lock planning(fftw_planner());
    const fftw_plan plan = FFTW(fftw_plan_dft_r2c_2d)(
        ny, nx, values.data(), reinterpret_cast<fftw_complex*>(waves.data()), FFTW_ESTIMATE);
    planning.unlock();
    if (!plan) return {};
    FFTW(fftw_execute)(plan);
    planning.lock();
    FFTW(fftw_destroy_plan)(plan);
    return waves;
}

}  // namespace

std::string why_no_spectrum() {
    return fftw().why_none();
}

RadialSpectrum radial_spectrum(std::vector<double> values, int nx, int ny, double length_x, double length_y) {
    const bool finite = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    const double longest = std::max(length_x, length_y);
    const double unit = 2 * std::numbers::pi / longest;
    const double finest = std::numbers::pi * std::min(nx / length_x, ny / length_y);
    const int rings = int(finest / unit + 1e-9);
    if (!finite || rings < 1) return {};
    const auto waves = transformed(std::move(values), nx, ny);
    std::vector<double> sums(std::size_t(rings) + 1), counts(std::size_t(rings) + 1);
    const double scale = 1 / (double(nx) * ny);
    for (std::size_t i = 0; i < waves.size(); ++i) {
        const int column = int(i % std::size_t(nx / 2 + 1)), row = int(i / std::size_t(nx / 2 + 1));
        const double kx = column / length_x, ky = (row <= ny / 2 ? row : row - ny) / length_y;
        const auto ring = std::size_t(std::lround(std::hypot(kx, ky) * longest));
        if (ring >= sums.size()) continue;
        const double weight = column == 0 || 2 * column == nx ? 1 : 2;  // counts its conjugate, too
        sums[ring] += weight * std::norm(waves[i] * scale);
        counts[ring] += weight;
    }
    RadialSpectrum spectrum;
    for (std::size_t ring = 1; ring < sums.size(); ++ring) {
        if (counts[ring] == 0) continue;
        spectrum.wave_number.push_back(double(ring) * unit);
        spectrum.power.push_back(sums[ring] / counts[ring]);
    }
    return spectrum;
}

RadialSpectrum spectrum_of(const Field& field, const RunSpec& spec) {
    const double length_x = field.nx() * spec.dx, length_y = field.ny() * spec.dx;
    return radial_spectrum(field.values(), field.nx(), field.ny(), length_x, length_y);
}

RadialSpectrum measure_spectrum(Solver& solver, const Observable& what, const RunSpec& spec) {
    if (!why_no_spectrum().empty()) return {};
    constexpr int kMost = 256;
    const auto [nx, ny] = *spec.size;
    const ResampleRequest all{
        {0, 0, double(nx), double(ny)}, std::min(nx, kMost), std::min(ny, kMost), false};
    Pixels pixels;
    solver.resample(what, all, true, pixels);
    const std::span values(pixels.host.data(), std::size_t(all.width) * std::size_t(all.height));
    return radial_spectrum({values.begin(), values.end()}, all.width, all.height, nx * spec.dx, ny * spec.dx);
}

std::string spectrum_csv(const RadialSpectrum& spectrum) {
    std::string text = "wave_number,power\n";
    for (std::size_t i = 0; i < spectrum.power.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{},{}\n", spectrum.wave_number[i], spectrum.power[i]);
    return text;
}

figure::Chart spectrum_chart(const RadialSpectrum& spectrum,
                             const std::string& of,
                             double length,
                             const std::string& unit) {
    const std::string per = unit.empty() ? "" : " (1/" + unit + ")";
    figure::Chart chart{"spectrum", "Radial power spectrum of " + of, "Wave number" + per, "Power"};
    chart.log_x = chart.log_y = true;
    figure::ChartSeries& series = chart.series.emplace_back();
    series.markers = false;
    for (std::size_t i = 0; i < spectrum.power.size(); ++i)
        series.points.push_back({spectrum.wave_number[i] / length, spectrum.power[i]});
    return chart;
}

}  // namespace stencil
