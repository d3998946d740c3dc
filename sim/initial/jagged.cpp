// The jagged picture of the tutorial "Using GPU resources": uniform float32 noise times radius^-1.7 in
// Fourier space, cut to a disc, and zero up to its 70th percentile. Computed in float64 after the noise, as
// NumPy does for noise converted to float64 (tests/reference/make_reference.py).
//
// A column (1xN) takes several times as long as a row: FFTW's real transform halves the x axis, so a column
// is a complex transform of N (measured: 4.0 s for 1x10000000, 1.3 s for 10000000x1, six times as long for
// prime N). Transposing first would round differently.

#include <cmath>
#include <memory>
#include <mutex>
#include <new>

#include "kernels/methods/spectral/fftw.h"
#include "sim/field/random.h"
#include "sim/initial/initial.h"

namespace stencil {
namespace {

constexpr double kDecay = -1.7;
constexpr double kDisc = 0.45;  // radius over the number of rows
constexpr double kPercentile = 70;

struct FftwFree {
    void operator()(void* p) const { FFTW(fftw_free)(p); }
};

// Real (ny, nx) data in place of its half spectrum: rows of nx / 2 + 1 complex numbers.
struct Spectrum {
    Spectrum(int columns, int rows)
        : nx(columns),
          ny(rows),
          half(columns / 2 + 1),
          data(static_cast<fftw_complex*>(
              FFTW(fftw_malloc)(sizeof(fftw_complex) * std::size_t(half) * std::size_t(rows)))) {
        if (!data) throw std::bad_alloc();
    }
    double* real_row(int y) {
        return reinterpret_cast<double*>(data.get() + std::size_t(y) * std::size_t(half));
    }
    fftw_complex* row(int y) { return data.get() + std::size_t(y) * std::size_t(half); }

    int nx, ny, half;
    std::unique_ptr<fftw_complex, FftwFree> data;
};

void transform(Spectrum& s, bool forward) {
    auto* real = reinterpret_cast<double*>(s.data.get());
    std::unique_lock planning(fftw_planner());
    fftw_plan plan = forward ? FFTW(fftw_plan_dft_r2c_2d)(s.ny, s.nx, real, s.data.get(), FFTW_ESTIMATE)
                             : FFTW(fftw_plan_dft_c2r_2d)(s.ny, s.nx, s.data.get(), real, FFTW_ESTIMATE);
    if (!plan) throw std::bad_alloc();
    planning.unlock();
    FFTW(fftw_execute)(plan);
    planning.lock();
    FFTW(fftw_destroy_plan)(plan);
}

// One plus the distance from zero frequency, or from the middle cell n // 2.
double radius(int dx, int dy) {
    return 1 + std::sqrt(double(dx) * dx + double(dy) * dy);
}

}  // namespace

Array<double> make_jagged(const InitialRequest& request) {
    const int nx = request.nx;
    const int ny = request.ny;
    if (!fftw().why_none().empty()) throw MissingLibrary("--initial jagged: " + fftw().why_none());
    Spectrum spectrum(nx, ny);
    Random random(request.seed);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) spectrum.real_row(y)[x] = double(random.next_float());

    transform(spectrum, true);
    for (int y = 0; y < ny; ++y) {
        const int frequency_y = y < (ny + 1) / 2 ? y : y - ny;
        for (int x = 0; x < spectrum.half; ++x) {
            const double weight = std::pow(radius(x, frequency_y), kDecay) / (double(nx) * ny);
            spectrum.row(y)[x][0] *= weight;
            spectrum.row(y)[x][1] *= weight;
        }
    }
    transform(spectrum, false);

    Array<double> field(nx, ny);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const bool in_disc = radius(x - nx / 2, y - ny / 2) < kDisc * ny;
            field.at(x, y) = in_disc ? spectrum.real_row(y)[x] : 0.0;
        }
    spectrum.data.reset();
    Field whole(std::move(field));
    const double threshold = percentiles_of(whole, {&kPercentile, 1}).front();
    for (double& value : whole.as<double>().cells()) value = value > threshold ? value : 0.0;
    return std::move(whole.as<double>());
}

}  // namespace stencil
