#include "sim/view/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <mutex>
#include <numbers>
#include <utility>

#include "kernels/methods/spectral/fftw.h"

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

// Widens the range of a uniform component.
ValueRange spanned(ValueRange range) {
    if (range.low < range.high) return range;
    const double half = std::max(std::abs(range.low), 1.0) / 2;
    return {range.low - half, range.high + half};
}

void widen(ValueRange& range, double value) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
}

int box_of(double value, const ValueRange& range, int bins) {
    return std::clamp(int((value - range.low) / (range.high - range.low) * bins), 0, bins - 1);
}

}  // namespace

const std::string& why_no_spectrum() {
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

std::string spectrum_csv(const RadialSpectrum& spectrum) {
    std::string text = "wave_number,power\n";
    for (std::size_t i = 0; i < spectrum.power.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{},{}\n", spectrum.wave_number[i], spectrum.power[i]);
    return text;
}

PlaneDensity plane_density(std::span<const double> x, std::span<const double> y, int bins) {
    PlaneDensity density{{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, bins, {}};
    const std::size_t count = std::min(x.size(), y.size());
    const auto usable = [&](std::size_t i) { return std::isfinite(x[i]) && std::isfinite(y[i]); };
    for (std::size_t i = 0; i < count; ++i) {
        if (!usable(i)) continue;
        widen(density.x, x[i]);
        widen(density.y, y[i]);
    }
    const bool any = density.x.low <= density.x.high;
    const double across = density.x.high - density.x.low, up = density.y.high - density.y.low;
    if (!any || !std::isfinite(across) || !std::isfinite(up)) return {{}, {}, bins, {}};
    density.x = spanned(density.x);
    density.y = spanned(density.y);
    density.counts.resize(std::size_t(bins) * std::size_t(bins));
    for (std::size_t i = 0; i < count; ++i)
        if (usable(i))
            ++density.counts[std::size_t(box_of(y[i], density.y, bins)) * std::size_t(bins) +
                             std::size_t(box_of(x[i], density.x, bins))];
    return density;
}

std::string plane_csv(const PlaneDensity& density, const std::string& x_name, const std::string& y_name) {
    std::string text = fmt::format("{},{},cells\n", x_name, y_name);
    for (std::size_t i = 0; i < density.counts.size(); ++i) {
        if (density.counts[i] == 0) continue;
        fmt::format_to(std::back_inserter(text),
                       "{},{},{}\n",
                       density.middle(density.x, int(i) % density.bins),
                       density.middle(density.y, int(i) / density.bins),
                       density.counts[i]);
    }
    return text;
}

}  // namespace stencil
