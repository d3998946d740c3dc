#include <fmt/format.h>

#include "kernels/view/statistics/statistics.h"
#include "sim/solvers/solver.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"

namespace {

constexpr long long kVeryLong = 1'000'000'000;

double rounding(DType dtype) {
    return error_bound(dtype, 100);
}

SolverSetup setup_for(DType dtype, const Field& start, DiffusionParams params) {
    return {find_method("spectral", kDevice), start.nx(), start.ny(), dtype, params, 2};
}

Field jumped(const SolverSetup& setup, const Field& start, long long steps) {
    const auto solver = make_solver(setup);
    solver->load(start);
    solver->advance(steps);
    return solver->field();
}

Field stepped_by_cpu(const Field& start, DiffusionParams params, long long steps) {
    const auto solver = make_solver({find_method("cpu"), start.nx(), start.ny(), DType::float64, params, 2});
    solver->load(start);
    solver->advance(steps);
    return solver->field();
}

Field start_of(int nx, int ny, DType dtype) {
    return Field(random_field(nx, ny)).to(dtype);
}

// Returns the largest amplification of any mode, which is that of the longest or shortest waves.
double largest_factor(const DiffusionParams& params, int nx, int ny) {
    const auto eigenvalue = [&](int n, int half_waves) {
        const int length = params.boundary == Boundary::zero ? n + 1 : n;
        return 2 * std::cos(std::numbers::pi * half_waves / length) - 2;
    };
    const auto longest = [&](int n) { return params.boundary == Boundary::zero ? eigenvalue(n, 1) : 0.0; };
    const auto shortest = [&](int n) {
        if (params.boundary == Boundary::periodic) return eigenvalue(n, n / 2 * 2);
        return eigenvalue(n, params.boundary == Boundary::zero ? n : n - 1);
    };
    return std::max(std::abs(1 + params.coefficient * (longest(nx) + longest(ny))),
                    std::abs(1 + params.coefficient * (shortest(nx) + shortest(ny))));
}

// The distance of fields, whatever the norm of either.
double distance(const Field& a, const Field& b) {
    const Field wide_a = a.to(DType::float64), wide_b = b.to(DType::float64);
    const auto x = wide_a.as<double>().cells(), y = wide_b.as<double>().cells();
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return std::sqrt(sum);
}

double norm_of(const Field& field) {
    return distance(field, array_of(field.nx(), field.ny(), [](int, int) { return 0; }));
}

}  // namespace

TEST_CASE("A spectral jump ends where the method cpu steps to, whatever size, boundary and coefficient") {
    constexpr FieldShape kShapes[] = {
        {1, 1}, {1, 2}, {2, 1}, {3, 5}, {2, 101}, {97, 1}, {33, 64}, {131, 257}, {1003, 517}};
    constexpr std::pair<double, int> kJumps[] = {
        {0.25, 40}, {0.25, 41}, {0.2, 1}, {0.13, 37}, {1e-3, 64}, {0.3, 8}};
    for (const DType dtype : kDTypes)
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [nx, ny] : kShapes)
                for (const auto& [coefficient, steps] : kJumps) {
                    if (nx > 1000 && coefficient != 0.13) continue;  // slow
                    INFO(fmt::format(
                        "{} {} {}x{} c={} steps {}", name_of(dtype), row.name, nx, ny, coefficient, steps));
                    const DiffusionParams params{coefficient, row.boundary};
                    const Field start = start_of(nx, ny, dtype);
                    const Field found = jumped(setup_for(dtype, start, params), start, steps);
                    const Field truth = stepped_by_cpu(start, params, steps);
                    // The transforms' rounding error is relative to the largest mode.
                    const double scale =
                        std::pow(largest_factor(params, nx, ny), double(steps)) * norm_of(start);
                    REQUIRE(distance(found, truth) <= rounding(dtype) * scale);
                }
}

TEST_CASE("A spectral jump under the zero boundary ends where plain loops do, whatever primes n + 1 has") {
    // n + 1: 257 and 101; 3 * 79 and 2^7; 3 * 2 * 53 and 3 * 67; 2^8 and 2^6 * 3; long and thin
    constexpr FieldShape kShapes[] = {{256, 100}, {236, 127}, {317, 200}, {255, 191}, {1, 700}, {1500, 3}};
    for (const DType dtype : kDTypes)
        for (const auto& [nx, ny] : kShapes)
            for (const double coefficient : {1e-3, 0.2, 0.25})
                for (const int steps : {1, 20, 70, 400, 1500}) {
                    if (steps > 400 && nx != 236) continue;  // slow
                    INFO(fmt::format("{} {}x{} c={} steps {}", name_of(dtype), nx, ny, coefficient, steps));
                    const DiffusionParams params{coefficient, Boundary::zero};
                    const Field start = start_of(nx, ny, dtype);
                    const Field found = jumped(setup_for(dtype, start, params), start, steps);
                    Field truth = start.to(DType::float64);
                    Field next = start.to(DType::float64);
                    for (int step = 0; step < steps; ++step) {
                        const FieldView<const double> u = std::as_const(truth).as<double>().view();
                        const FieldView<double> after = next.as<double>().view();
                        const auto at = [&](int x, int y) {
                            return x < 0 || y < 0 || x >= nx || y >= ny ? 0.0 : u.at(x, y);
                        };
                        for (int y = 0; y < ny; ++y)
                            for (int x = 0; x < nx; ++x)
                                after.at(x, y) =
                                    u.at(x, y) + coefficient * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) +
                                                                at(x, y + 1) - 4 * u.at(x, y));
                        std::swap(truth, next);
                    }
                    const double scale =
                        std::pow(largest_factor(params, nx, ny), double(steps)) * norm_of(start);
                    // Narrow fields decay below the smallest float32.
                    constexpr double kSmallest = 1e-35;
                    REQUIRE(distance(found, truth) <= rounding(dtype) * scale + kSmallest);
                }
}

TEST_CASE("A spectral jump of 10^9 steps leaves the mean where the total is conserved, and else nothing") {
    for (const DType dtype : kDTypes)
        for (const BoundaryRow& row : kBoundaries)
            for (const long long steps : {kVeryLong, kVeryLong * 1000}) {
                INFO(fmt::format("{} {} steps {}", name_of(dtype), row.name, steps));
                const Field start = start_of(131, 62, dtype);
                const Field found = jumped(setup_for(dtype, start, {0.2, row.boundary}), start, steps);
                Array<double> flat(start.nx(), start.ny());
                const double mean = total(start) / double(flat.size());
                for (double& cell : flat.cells()) cell = row.conserves_total ? mean : 0;
                REQUIRE(relative_error(found, Field(std::move(flat))) <= rounding(dtype));
            }
}

TEST_CASE("A spectral jump keeps the checkerboard at the stability limit, with its sign") {
    for (const DType dtype : kDTypes)
        for (const long long steps : {kVeryLong, kVeryLong + 1}) {
            INFO(fmt::format("{} steps {}", name_of(dtype), steps));
            const Field start = start_of(30, 44, dtype);
            const Field found = jumped(setup_for(dtype, start, {0.25, Boundary::periodic}), start, steps);
            const auto sign = [](int x, int y) { return (x + y) % 2 == 0 ? 1.0 : -1.0; };
            const Field wide = start.to(DType::float64);
            const FieldView<const double> u = wide.as<double>().view();
            Array<double> truth(u.nx, u.ny);
            const double cells = double(truth.size());
            double checkerboard = 0;
            for (int y = 0; y < u.ny; ++y)
                for (int x = 0; x < u.nx; ++x) checkerboard += sign(x, y) * u.at(x, y) / cells;
            for (int y = 0; y < u.ny; ++y)
                for (int x = 0; x < u.nx; ++x)
                    truth.at(x, y) =
                        total(start) / cells + sign(x, y) * sign(0, int(steps % 2)) * checkerboard;
            REQUIRE(relative_error(found, Field(std::move(truth))) <= rounding(dtype));
        }
}

TEST_CASE("A spectral jump of an unstable field overflows as the steps do") {
    for (const DType dtype : kDTypes)
        for (const BoundaryRow& row : kBoundaries) {
            INFO(fmt::format("{} {}", name_of(dtype), row.name));
            const Field start = start_of(64, 40, dtype);
            const Field found = jumped(setup_for(dtype, start, {0.4, row.boundary}), start, kVeryLong);
            REQUIRE(statistics_of(found).not_finite > 0);
        }
}
