// Noise, and initial conditions given by formulas.

#include <cmath>
#include <numbers>

#include "kernels/cpu/thread_pool.h"
#include "sim/field/random.h"
#include "sim/initial/initial.h"

namespace stencil {
namespace {

// Calls task(begin, end) for ranges of an array's rows.
template <class T>
void for_rows(const Array<T>& array, ThreadPool* threads, const std::function<void(int, int)>& task) {
    constexpr std::int64_t kWorthThreads = 1 << 15;  // cells
    if (!threads) return task(0, array.ny());
    threads->for_ranges(
        array.ny(),
        [&](std::int64_t begin, std::int64_t end) { task(int(begin), int(end)); },
        kWorthThreads / std::max(array.nx(), 1) + 1);
}

// Evaluates value(x, y) at every cell of the requested rows.
template <class F>
Array<double> fill(const InitialRequest& request, F&& value) {
    Array<double> field(request.nx, request.rows);
    for_rows(field, request.threads, [&](int begin, int end) {
        for (int y = begin; y < end; ++y)
            for (int x = 0; x < request.nx; ++x) field.at(x, y) = value(x, request.first + y);
    });
    return field;
}

// Distance of a cell's centre from a point given in shares of width and height, in units of the shorter side.
struct Distance {
    explicit Distance(const InitialRequest& request)
        : x0(request.parameter("x") * request.nx - 0.5),
          y0(request.parameter("y") * request.ny - 0.5),
          unit(std::min(request.nx, request.ny)) {}
    double operator()(int x, int y) const { return std::hypot(x - x0, y - y0) / unit; }
    double x0, y0, unit;
};

}  // namespace

Array<double> make_noise(const InitialRequest& request) {
    return std::move(
        make_noise_rows(
            DType::float64, request.nx, request.first, request.rows, request.seed, request.threads)
            .as<double>());
}

Field make_noise_rows(DType dtype, int nx, int first, int rows, std::uint64_t seed, ThreadPool* threads) {
    Field field(dtype, nx, rows);
    field.visit([&]<class T>(Array<T>& cells) {
        for_rows(cells, threads, [&](int begin, int end) {
            Random random(seed);
            random.skip_floats(std::uint64_t(first + begin) * std::uint64_t(nx));
            for (T* cell = cells.view().row(begin); cell != cells.view().row(end); ++cell)
                *cell = T(random.next_float());
        });
    });
    return field;
}

Array<double> make_gaussian(const InitialRequest& request) {
    const Distance distance(request);
    const double sigma = request.parameter("sigma");
    return fill(request, [&](int x, int y) {
        const double d = distance(x, y) / sigma;
        return std::exp(-0.5 * d * d);
    });
}

Array<double> make_disk(const InitialRequest& request) {
    const Distance distance(request);
    const double radius = request.parameter("radius");
    return fill(request, [&](int x, int y) { return distance(x, y) < radius ? 1.0 : 0.0; });
}

Array<double> make_checkerboard(const InitialRequest& request) {
    const int cells = int(request.parameter("cells"));
    return fill(request, [&](int x, int y) { return double((x / cells + y / cells) % 2); });
}

// Eigenmodes of the discrete Laplacian: sines that vanish one cell outside (zero), cosines about the cell
// faces (insulated), whole waves (periodic). Mode numbers count half waves across the field, for periodic
// ones whole waves.
Array<double> make_sine(const InitialRequest& request) {
    using std::numbers::pi;
    const double mode_x = request.parameter("mx");
    const double mode_y = request.parameter("my");
    const auto wave = [&](int i, int n, double mode) {
        switch (request.boundary) {
            case Boundary::zero:
                return std::sin(pi * mode * (i + 1) / (n + 1));
            case Boundary::insulated:
                return std::cos(pi * mode * (i + 0.5) / n);
            case Boundary::periodic:
                return std::cos(2 * pi * mode * i / n);
        }
        return 0.0;
    };
    return fill(request,
                [&](int x, int y) { return wave(x, request.nx, mode_x) * wave(y, request.ny, mode_y); });
}

}  // namespace stencil
