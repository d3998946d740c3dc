// Noise, and the initial conditions that a formula gives.

#include <cmath>
#include <numbers>

#include "sim/field/random.h"
#include "sim/initial/initial.h"

namespace stencil {
namespace {

// Calls value(x, y) for every cell of the rows.
template <class F>
Array<double> fill(const InitialRequest& request, F&& value) {
    Array<double> field(request.nx, request.rows);
    for (int y = 0; y < request.rows; ++y)
        for (int x = 0; x < request.nx; ++x) field.at(x, y) = value(x, request.first + y);
    return field;
}

// Distance of a cell's centre from the point (x, y), given as shares of the width and height, in units of the
// shorter side.
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
    Random random(request.seed);
    random.skip_floats(std::uint64_t(request.first) * std::uint64_t(request.nx));
    return fill(request, [&](int, int) { return double(random.next_float()); });
}

Field make_noise_rows(DType dtype, int nx, int first, int rows, std::uint64_t seed) {
    Field field(dtype, nx, rows);
    Random random(seed);
    random.skip_floats(std::uint64_t(first) * std::uint64_t(nx));
    field.visit([&]<class T>(Array<T>& cells) {
        for (T& cell : cells.cells()) cell = T(random.next_float());
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

// The discrete Laplacian's eigenmodes: sines that vanish one cell outside (zero), cosines about the cell
// faces (insulated), whole waves (periodic). Mode numbers count half waves across the field, whole ones for
// periodic.
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
