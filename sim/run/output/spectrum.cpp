#include "sim/run/output/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <numbers>
#include <tuple>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/methods/spectral/fftw.h"
#include "sim/field/pixels.h"
#include "sim/problem/newest.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {
namespace {

using Complex = std::complex<double>;

// What the spectra of fields of one shape share: the transform, which takes longer to plan than to run, and
// the ring of each wave.
class Rings {
  public:
    Rings(int nx, int ny, double length_x, double length_y) : nx_(nx), ny_(ny) {
        const double longest = std::max(length_x, length_y);
        unit = 2 * std::numbers::pi / longest;
        const double finest = std::numbers::pi * std::min(nx / length_x, ny / length_y);
        count = int(finest / unit + 1e-9);
        if (count < 1) return;
        for (int row = 0; row < ny; ++row)
            for (int column = 0; column <= nx / 2; ++column) {
                const double kx = column / length_x, ky = (row <= ny / 2 ? row : row - ny) / length_y;
                of_wave.push_back(int(std::lround(std::hypot(kx, ky) * longest)));
            }
        AlignedBuffer<double> values(cells());
        AlignedBuffer<Complex> waves(of_wave.size());
        const std::lock_guard lock(fftw_planner());
        plan_ = FFTW(fftw_plan_dft_r2c_2d)(ny, nx, values.data(), numbers(waves), FFTW_ESTIMATE);
    }
    ~Rings() {
        if (!plan_) return;
        const std::lock_guard lock(fftw_planner());
        FFTW(fftw_destroy_plan)(plan_);
    }
    Rings(const Rings&) = delete;
    Rings& operator=(const Rings&) = delete;

    /// The amplitudes (ny, nx / 2 + 1) of (ny, nx) values; none if the transform cannot be planned.
    AlignedBuffer<Complex> transformed(const std::vector<double>& values) const {
        if (!plan_) return {};
        AlignedBuffer<double> from(cells());
        AlignedBuffer<Complex> waves(of_wave.size());
        std::ranges::copy(values, from.data());
        FFTW(fftw_execute_dft_r2c)(plan_, from.data(), numbers(waves));
        return waves;
    }

    int count = 0;
    double unit = 0;           ///< the wave number of ring 1
    std::vector<int> of_wave;  ///< beyond `count` for the waves of the corners

  private:
    std::size_t cells() const { return std::size_t(nx_) * std::size_t(ny_); }
    static fftw_complex* numbers(AlignedBuffer<Complex>& waves) {
        return reinterpret_cast<fftw_complex*>(waves.data());
    }

    int nx_, ny_;
    fftw_plan plan_ = nullptr;
};

std::shared_ptr<const Rings> rings_of(int nx, int ny, double length_x, double length_y) {
    constexpr std::int64_t kMostKept = 1 << 20;  // cells
    // Never destroyed, since FFTW may be unloaded before.
    static auto& newest = *new Newest<std::tuple<int, int, double, double>, Rings>(4);
    const auto make = [&] { return std::make_shared<Rings>(nx, ny, length_x, length_y); };
    if (std::int64_t(nx) * ny > kMostKept) return make();
    return newest.get({nx, ny, length_x, length_y}, make);
}

}  // namespace

std::string why_no_spectrum() {
    return fftw().why_none();
}

RadialSpectrum radial_spectrum(
    const std::vector<double>& values, int nx, int ny, double length_x, double length_y) {
    const bool finite = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    if (!finite) return {};
    const auto rings = rings_of(nx, ny, length_x, length_y);
    if (rings->count < 1) return {};
    const auto waves = rings->transformed(values);
    std::vector<double> sums(std::size_t(rings->count) + 1), counts(sums.size());
    const double scale = 1 / (double(nx) * ny);
    for (std::size_t i = 0; i < waves.size(); ++i) {
        const auto ring = std::size_t(rings->of_wave[i]);
        if (ring >= sums.size()) continue;
        const int column = int(i % std::size_t(nx / 2 + 1));
        const double weight = column == 0 || 2 * column == nx ? 1 : 2;  // counts its conjugate, too
        sums[ring] += weight * std::norm(waves.data()[i] * scale);
        counts[ring] += weight;
    }
    RadialSpectrum spectrum;
    for (std::size_t ring = 1; ring < sums.size(); ++ring) {
        if (counts[ring] == 0) continue;
        spectrum.wave_number.push_back(double(ring) * rings->unit);
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
