#include <fmt/format.h>

#include "kernels/view/statistics/percentiles.h"
#include "sim/run/choose_method.h"
#include "sim/solvers/solver.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"
#include "tests/support/plain_diffusion.h"
#include "tests/support/plain_sums.h"

namespace {

constexpr Quantity kQuantities[] = {
    Quantity::value, Quantity::laplacian, Quantity::difference, Quantity::base};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Array<double> wide(const Field& field) {
    return field.to(DType::float64).as<double>().clone();
}

// Computes a quantity from the solver's field.
Array<double> plain_quantity(Quantity quantity,
                             const Field& field,
                             Boundary boundary,
                             const Array<double>& base) {
    if (quantity == Quantity::base) return base.clone();
    Array<double> result = wide(field);
    if (quantity == Quantity::difference)
        for (std::size_t i = 0; i < base.size(); ++i) result.cells()[i] -= base.cells()[i];
    if (quantity == Quantity::laplacian)
        field.visit([&](const auto& cells) { result = wide(plain_laplacian(cells, boundary)); });
    return result;
}

/// A solver, and the expected values of all quantities.
struct Scene {
    std::unique_ptr<Solver> solver;
    Array<double> base;
    DiffusionParams params;
    std::string name;

    Array<double> truth(Quantity quantity) const {
        return plain_quantity(quantity, solver->field(), params.boundary, base);
    }
};

// Steps a little, so that the stored state differs from the field; or, if `broken`, keeps the loaded field
// with non-finite cells.
Scene make_scene(DType dtype, Boundary boundary, FieldShape size, bool broken) {
    Scene scene;
    scene.params = {0.13, boundary};
    scene.name =
        fmt::format("{} {} {}x{} broken {}", name_of(dtype), name_of(boundary), size.nx, size.ny, broken);
    scene.solver = make_solver({&choose_method({kDevice, size}), size.nx, size.ny, dtype, scene.params, 3});
    Array<double> start = random_field(size.nx, size.ny);
    Dice dice;
    if (broken)
        for (const double value : {kNaN, kInfinity, -kInfinity, kNaN})
            start.at(dice.integer(0, size.nx - 1), dice.integer(0, size.ny - 1)) = value;
    scene.solver->load(Field(std::move(start)));
    if (!broken) scene.solver->advance(7);
    scene.base = random_field(size.nx, size.ny);
    scene.solver->set_base(Field(scene.base.clone()));
    return scene;
}

template <class Check>
void for_scenes(std::initializer_list<FieldShape> sizes, Check&& check) {
    for (const DType dtype : kDTypes)
        for (const BoundaryRow& row : kBoundaries)
            for (const FieldShape& size : sizes) {
                if (kWatchedMemory && size.nx * size.ny > 20'000) continue;
                for (const bool broken : {false, true}) {
                    const Scene scene = make_scene(dtype, row.boundary, size, broken);
                    for (const Quantity quantity : kQuantities) {
                        INFO(scene.name << " quantity " << int(quantity));
                        check(scene, quantity, scene.truth(quantity));
                    }
                }
            }
}

using Taps = std::map<int, double>;  // weights of the cells in a pixel, along one axis

Taps point_taps(double position, int cells, bool smooth) {
    const auto inside = [&](double cell) { return int(std::clamp(cell, 0.0, double(cells - 1))); };
    if (!smooth) return {{inside(std::floor(position)), 1.0}};
    const double low = std::floor(position - 0.5);
    const double t = position - 0.5 - low;
    Taps taps;
    taps[inside(low)] += 1 - t;
    if (t > 0) taps[inside(low + 1)] += t;
    return taps;
}

Taps pixel_taps(double begin, double size, int pixel, int cells, bool smooth) {
    if (size <= 1) return point_taps(begin + (pixel + 0.5) * size, cells, smooth);
    const double low = begin + pixel * size;
    const double high = begin + (pixel + 1.0) * size;
    Taps taps;
    double total = 0;
    for (int cell = 0; cell < cells; ++cell) {
        const double share = std::min(high, cell + 1.0) - std::max(low, double(cell));
        if (share <= 0) continue;
        taps[cell] = share;
        total += share;
    }
    for (auto& [cell, share] : taps) share /= total;
    return taps;
}

double weighted(const Array<double>& values, const Taps& columns, const Taps& rows) {
    double sum = 0;
    for (const auto& [y, row_share] : rows)
        for (const auto& [x, share] : columns) sum += row_share * share * values.at(x, y);
    return sum;
}

double largest(const Array<double>& values) {
    double result = 0;
    for (const double value : values.cells())
        if (std::isfinite(value)) result = std::max(result, std::abs(value));
    return result;
}

bool close(double found, double truth, double tolerance) {
    if (!std::isfinite(truth)) return std::isnan(truth) ? std::isnan(found) : found == truth;
    return std::abs(found - truth) <= tolerance;
}

// Bound for a weighted sum of values up to `scale`, rounded to float.
double few_roundings(double scale) {
    return 1e-6 * scale + 1e-30;
}

void check_request(const Scene& scene,
                   Quantity quantity,
                   const Array<double>& truth,
                   const ResampleRequest& request) {
    const auto& [x0, y0, x1, y1] = request.area;
    CAPTURE(x0, y0, x1, y1, request.width, request.height, request.smooth);
    Pixels pixels;
    scene.solver->resample(quantity, request, true, pixels);
    REQUIRE(pixels.width == request.width);
    REQUIRE(pixels.height == request.height);
    REQUIRE_FALSE(pixels.on_device);
    const double tolerance = few_roundings(largest(truth));
    const double size_x = (x1 - x0) / request.width, size_y = (y1 - y0) / request.height;
    std::vector<Taps> columns;
    for (int x = 0; x < request.width; ++x)
        columns.push_back(pixel_taps(x0, size_x, x, truth.nx(), request.smooth));
    for (int y = 0; y < request.height; ++y) {
        const Taps rows = pixel_taps(y0, size_y, y, truth.ny(), request.smooth);
        for (int x = 0; x < request.width; ++x) {
            const double found = pixels.host[std::size_t(y) * std::size_t(request.width) + std::size_t(x)];
            const double expected = weighted(truth, columns[std::size_t(x)], rows);
            if (close(found, expected, tolerance)) continue;
            INFO("pixel " << x << " " << y << ": " << found << " instead of " << expected);
            REQUIRE(false);
        }
    }
}

// A random part of the field, or all of it, in pixels larger or smaller than cells.
ResampleRequest random_request(Dice& dice, FieldShape size) {
    ResampleRequest request{{0, 0, double(size.nx), double(size.ny)}, 1, 1, dice.flip()};
    if (dice.integer(0, 2) > 0) {
        request.area.x0 = dice.uniform(0, size.nx * 0.7);
        request.area.y0 = dice.uniform(0, size.ny * 0.7);
        request.area.x1 = dice.uniform(request.area.x0 + 0.01, size.nx);
        request.area.y1 = dice.uniform(request.area.y0 + 0.01, size.ny);
    }
    request.width = dice.integer(1, dice.flip() ? 9 : 300);
    request.height = dice.integer(1, dice.flip() ? 9 : 40);
    return request;
}

template <class T>
std::vector<double> special_cells(std::size_t count, Dice& dice) {
    using Limits = std::numeric_limits<T>;
    const double tiny = Limits::denorm_min(), small = Limits::min() / 2, large = Limits::max() / 4;
    const double specials[] = {
        0.0, -0.0, tiny, -tiny, small, large, -large, kInfinity, -kInfinity, kNaN, 1.0};
    std::vector<double> cells;
    for (std::size_t i = 0; i < count; ++i)
        cells.push_back(dice.integer(0, 2) == 0 ? dice.uniform(-1, 1) : specials[dice.integer(0, 10)]);
    return cells;
}

// NumPy's percentile (linear) of sorted values.
double percentile(const std::vector<double>& values, double q) {
    const double position = double(values.size() - 1) * (q / 100);
    const auto index = std::size_t(position);
    const double high = values[std::min(index + 1, values.size() - 1)];
    return between_ranks(values[index], high, values.size(), q / 100);
}

std::vector<double> sorted_finite(const Array<double>& truth) {
    std::vector<double> finite;
    for (const double value : truth.cells())
        if (std::isfinite(value)) finite.push_back(value);
    std::ranges::sort(finite);
    return finite;
}

void require_percentiles(const Scene& scene, Quantity quantity, const Array<double>& truth) {
    const std::vector<double> finite = sorted_finite(truth);
    Dice dice;
    for (const std::vector<double>& q : {std::vector<double>{5, 95},
                                         {0, 100},
                                         {50},
                                         {dice.uniform(0, 100), 0, 100, 99.9, dice.uniform(0, 100)}}) {
        std::vector<double> expected;
        if (!finite.empty())
            for (const double each : q) expected.push_back(percentile(finite, each));
        CAPTURE(q);
        REQUIRE(scene.solver->percentiles(quantity, q) == expected);
    }
}

void require_statistics(const Scene& scene, Quantity quantity, const Array<double>& truth) {
    double low = kInfinity, high = -kInfinity;
    std::size_t finite = 0;
    for (const double value : truth.cells()) {
        if (!std::isfinite(value)) continue;
        ++finite;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const Statistics found = scene.solver->statistics(quantity);
    REQUIRE(found.not_finite == truth.size() - finite);
    if (finite == 0) {
        REQUIRE((std::isnan(found.min) && std::isnan(found.max)));
        REQUIRE((std::isnan(found.mean) && std::isnan(found.total)));
        return;
    }
    REQUIRE(found.min == low);
    REQUIRE(found.max == high);
    const double total = plain_sum(truth.cells(), truth.nx(), Summand::value);
    REQUIRE(found.total == total);
    REQUIRE(found.mean == total / double(finite));
    const double norm = scene.solver->norm(quantity);
    if (finite < truth.size())
        REQUIRE(std::isnan(norm));
    else
        REQUIRE(norm == std::sqrt(plain_sum(truth.cells(), truth.nx(), Summand::square)));
}

void require_histogram(const Scene& scene, Quantity quantity, const Array<double>& truth, Dice& dice) {
    const double reach = largest(truth) + 1e-3;
    const double low = dice.uniform(-reach, reach * 0.9);
    const double high = dice.uniform(low + 1e-4, reach);
    const int bins = dice.integer(0, 1) == 0 ? dice.integer(1, 1024) : dice.integer(1, 10);
    std::vector<std::uint64_t> counts(std::size_t(bins), 0);
    for (const double value : truth.cells())
        if (value >= low && value <= high)
            ++counts[std::size_t(std::min(bins - 1, int((value - low) * (bins / (high - low)))))];
    CAPTURE(low, high, bins);
    REQUIRE(scene.solver->histogram(quantity, low, high, bins) == counts);
    if (truth.size() == 1 || !std::isfinite(truth.at(0, 0))) return;
    // The upper end belongs to the last bin.
    const double value = truth.at(0, 0);
    const auto closed = scene.solver->histogram(quantity, value - 1, value, 4);
    REQUIRE(closed.back() >= 1);
}

void require_points(const Scene& scene, Quantity quantity, const Array<double>& truth, Dice& dice) {
    const int nx = truth.nx();
    const int ny = truth.ny();
    std::vector<SamplePoint> points{{0, 0}, {double(nx), 0.5}, {0.5, -0.001}, {nx - 1e-9, ny - 1e-9}};
    for (int i = 0; i < 300; ++i)
        points.push_back({dice.uniform(-0.2 * nx, 1.2 * nx), dice.uniform(-0.2 * ny, 1.2 * ny)});
    for (const bool smooth : {false, true}) {
        const std::vector<double> found = scene.solver->sample(quantity, points, smooth);
        REQUIRE(found.size() == points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto [x, y] = points[i];
            const bool inside = x >= 0 && x < nx && y >= 0 && y < ny;
            const double expected =
                inside ? weighted(truth, point_taps(x, nx, smooth), point_taps(y, ny, smooth)) : kNaN;
            INFO("point " << x << " " << y << ": " << found[i] << " instead of " << expected);
            REQUIRE(close(found[i], expected, smooth ? 1e-12 * (1 + largest(truth)) : 0));
        }
    }
    REQUIRE(scene.solver->sample(quantity, {}, true).empty());
}

}  // namespace

TEST_CASE("Pixels of a solver are the averages and interpolations of its cells") {
    Dice dice;
    for_scenes({{1, 1}, {1, 37}, {41, 1}, {2, 3}, {131, 67}, {700, 9}, {2500, 6}, {5, 900}},
               [&](const Scene& scene, Quantity quantity, const Array<double>& truth) {
                   const double nx = truth.nx();
                   const double ny = truth.ny();
                   check_request(scene, quantity, truth, {{0, 0, nx, ny}, 7, 5, false});
                   check_request(scene, quantity, truth, {{0, 0, nx, ny}, truth.nx(), truth.ny(), false});
                   // Pixels extend beyond the field.
                   check_request(scene, quantity, truth, {{0, 0, nx * 1.1, ny * 1.2}, 4, 3, false});
                   check_request(scene, quantity, truth, {{0, 0, nx * 1.002, ny * 1.02}, 333, 21, true});
                   for (int i = 0; i < 4; ++i)
                       check_request(scene, quantity, truth, random_request(dice, {truth.nx(), truth.ny()}));
               });
}

TEST_CASE("Percentiles of a solver equal those of the sorted cells") {
    for_scenes({{1, 1}, {1, 37}, {41, 1}, {2, 1}, {131, 67}, {600, 150}}, require_percentiles);
    Dice dice;
    for (const DType dtype : kDTypes) {
        const FieldShape size{53, 31};
        Scene scene = make_scene(dtype, Boundary::periodic, size, false);
        const std::size_t count = std::size_t(size.nx) * std::size_t(size.ny);
        const auto cells =
            dtype == DType::float32 ? special_cells<float>(count, dice) : special_cells<double>(count, dice);
        Array<double> start(size.nx, size.ny);
        std::ranges::copy(cells, start.data());
        scene.solver->load(Field(start.clone()));
        require_percentiles(scene, Quantity::value, scene.truth(Quantity::value));
        std::ranges::fill(start.cells(), kNaN);
        scene.solver->load(Field(std::move(start)));
        REQUIRE(scene.solver->percentiles(Quantity::value, std::vector<double>{5, 95}).empty());
        REQUIRE(scene.solver->percentiles(Quantity::value, std::vector<double>{0, 100}).empty());
        REQUIRE(scene.solver->statistics(Quantity::value).not_finite == count);
        REQUIRE(std::isnan(scene.solver->statistics(Quantity::value).max));
    }
}

TEST_CASE("Statistics, histograms and points of a solver agree with plain loops") {
    Dice dice;
    // Long enough that a block of threads processes several parts.
    const Scene row = make_scene(DType::float32, Boundary::periodic, {600'000, 1}, true);
    for (const Quantity quantity : {Quantity::laplacian, Quantity::difference}) {
        INFO(row.name << " quantity " << int(quantity));
        const Array<double> truth = row.truth(quantity);
        require_statistics(row, quantity, truth);
        require_histogram(row, quantity, truth, dice);
        REQUIRE(row.solver->percentiles(quantity, std::vector<double>{31.7}) ==
                std::vector<double>{percentile(sorted_finite(truth), 31.7)});
    }
    for_scenes({{1, 1}, {1, 37}, {41, 1}, {131, 67}, {2500, 3}, {3, 2500}, {600, 150}},
               [&](const Scene& scene, Quantity quantity, const Array<double>& truth) {
                   require_statistics(scene, quantity, truth);
                   require_histogram(scene, quantity, truth, dice);
                   require_points(scene, quantity, truth, dice);
               });
}

TEST_CASE("The base of a solver comes from a field or from another solver") {
    const FieldShape size{77, 35};
    for (const DType dtype : kDTypes)
        for (const DType other_dtype : kDTypes) {
            INFO(name_of(dtype) << " with a base of " << name_of(other_dtype));
            Scene scene = make_scene(dtype, Boundary::insulated, size, false);
            const Field base = Field(random_field(size.nx, size.ny)).to(other_dtype);
            scene.solver->set_base(base);
            scene.base = wide(base);
            REQUIRE(scene.solver->statistics(Quantity::base).max == statistics_of(base).max);
            require_statistics(scene, Quantity::difference, scene.truth(Quantity::difference));

            Scene other = make_scene(other_dtype, Boundary::zero, size, false);
            scene.solver->set_base(*other.solver);
            scene.base = wide(other.solver->field());
            require_percentiles(scene, Quantity::base, scene.truth(Quantity::base));
            require_percentiles(scene, Quantity::difference, scene.truth(Quantity::difference));

            scene.solver->set_base(*scene.solver);
            const Statistics none = scene.solver->statistics(Quantity::difference);
            REQUIRE(none.min == 0);
            REQUIRE(none.max == 0);
            REQUIRE(scene.solver->statistics(Quantity::base).max ==
                    scene.solver->statistics(Quantity::value).max);
        }
    const auto bare = make_solver({&choose_method({kDevice, size}), size.nx, size.ny, DType::float32, {}, 3});
    REQUIRE_THROWS_AS(bare->statistics(Quantity::difference), std::logic_error);
}

#ifndef STENCILSCOPE_TESTS_CUDA
TEST_CASE("Statistics and pixels are the same with any number of threads") {
    const Field start(stencil_test::random_field(311, 97));
    Statistics statistics[3];
    Pixels pixels[3];
    for (int threads = 1; threads <= 3; ++threads) {
        const auto solver = make_solver(
            {&choose_method({kDevice, {311, 97}}), 311, 97, DType::float32, DiffusionParams{}, threads});
        solver->load(start);
        statistics[threads - 1] = solver->statistics(Quantity::laplacian);
        solver->resample(Quantity::value, {{0, 0, 311, 97}, 40, 2, false}, true, pixels[threads - 1]);
    }
    for (int i = 1; i < 3; ++i) {
        REQUIRE(statistics[i].total == statistics[0].total);
        REQUIRE(pixels[i].host == pixels[0].host);
    }
}
#endif

#ifdef STENCILSCOPE_TESTS_CUDA
TEST_CASE("Pixels that stay on the device are those that are copied to the host") {
    const auto solver = make_solver(
        {&choose_method({Device::cuda, {311, 97}}), 311, 97, DType::float32, DiffusionParams{}, 1});
    solver->load(Field(random_field(311, 97)));
    Pixels on_host, on_device;
    // The larger picture comes first, so that the smaller one reuses its memory.
    for (const auto& [width, height] : {std::pair{500, 300}, std::pair{40, 21}}) {
        const ResampleRequest request{{0, 0, 311, 97}, width, height, true};
        solver->resample(Quantity::value, request, true, on_host);
        solver->resample(Quantity::value, request, false, on_device);
        REQUIRE_FALSE(on_host.on_device);
        REQUIRE(on_device.on_device);
        REQUIRE(on_device.device_bytes == 500u * 300 * sizeof(float));
        const std::size_t size = std::size_t(width) * std::size_t(height);
        std::vector<float> fetched(size);
        CudaStream stream;
        copy_to_host({fetched.data(), size * 4, on_device.device_data(), size * 4, size * 4, 1}, stream);
        REQUIRE(std::equal(fetched.begin(), fetched.end(), on_host.host.begin()));
    }
}
#endif
