#include "tests/support/checks/method_checks.h"
#include "tests/support/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/field/cell_update.h"
#include "sim/files/npy.h"
#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"

namespace stencil_test {
namespace {

using namespace stencil;

constexpr DType kDTypes[] = {DType::float32, DType::float64};

// A solver whose buffers held NaN in every cell before the field was loaded.
std::unique_ptr<Solver> poisoned_solver(const SolverSetup& setup, const Field& start) {
    auto solver = make_solver(setup);
    solver->load(poison(setup.dtype, setup.nx, setup.ny));
    solver->advance(3);
    solver->load(start);
    return solver;
}

Field stepped(const SolverSetup& setup, const Field& start, long long steps) {
    const auto solver = poisoned_solver(setup, start);
    solver->advance(steps);
    solver->wait();
    return solver->field();
}

SolverSetup setup_for(const Method& method, DType dtype, int nx, int ny, DiffusionParams params) {
    return {&method, nx, ny, dtype, params, 2};
}

// The boundary as ghost cells around the field, written once more, so that an error in the code under test
// shows.
double ghost(Boundary boundary, double nearest, double opposite) {
    if (boundary == Boundary::insulated) return nearest;
    return boundary == Boundary::periodic ? opposite : 0;
}

// The mathematics once more, independent of every method: plain loops in float64.
Array<double> plain_steps(Array<double> u, const DiffusionParams& params, long long steps) {
    const int nx = u.nx();
    const int ny = u.ny();
    Array<double> wide(nx + 2, ny + 2);
    for (long long step = 0; step < steps; ++step) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) wide.at(x + 1, y + 1) = u.at(x, y);
            wide.at(0, y + 1) = ghost(params.boundary, u.at(0, y), u.at(nx - 1, y));
            wide.at(nx + 1, y + 1) = ghost(params.boundary, u.at(nx - 1, y), u.at(0, y));
        }
        for (int x = 0; x < nx; ++x) {
            wide.at(x + 1, 0) = ghost(params.boundary, u.at(x, 0), u.at(x, ny - 1));
            wide.at(x + 1, ny + 1) = ghost(params.boundary, u.at(x, ny - 1), u.at(x, 0));
        }
        for (int y = 1; y <= ny; ++y)
            for (int x = 1; x <= nx; ++x) {
                const double laplacian = wide.at(x, y - 1) + wide.at(x, y + 1) + wide.at(x - 1, y) +
                                         wide.at(x + 1, y) - 4 * wide.at(x, y);
                u.at(x - 1, y - 1) = wide.at(x, y) + params.coefficient * laplacian;
            }
    }
    return u;
}

template <class F>
void for_methods(Device device, F&& check) {
    int seen = 0;
    for (const Method& method : methods()) {
        if (method.device != device) continue;
        for (const DType dtype : kDTypes) check(method, dtype);
        ++seen;
    }
    REQUIRE(seen > 0);
}

std::string describe(const Method& method, DType dtype, const DiffusionParams& params) {
    return fmt::format(
        "{} {} {} c={}", method.name, name_of(dtype), name_of(params.boundary), params.coefficient);
}

bool is_unfit(const Method& method, DType dtype, int nx, int ny) {
    return method.unfit && !method.unfit({nx, ny}, bytes_of(dtype)).empty();
}

struct Mode {
    int mx, my;
};

Array<double> eigenmode(Boundary boundary, int nx, int ny, Mode mode) {
    using std::numbers::pi;
    const auto wave = [&](int i, int n, int m) {
        if (boundary == Boundary::zero) return std::sin(pi * m * (i + 1) / (n + 1));
        if (boundary == Boundary::insulated) return std::cos(pi * m * (i + 0.5) / n);
        return std::cos(2 * pi * m * i / n);
    };
    Array<double> field(nx, ny);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) field.at(x, y) = wave(x, nx, mode.mx) * wave(y, ny, mode.my);
    return field;
}

// Of the one-dimensional discrete Laplacian: 2 cos(angle) - 2.
double eigenvalue(Boundary boundary, int n, int m) {
    const double half_waves = boundary == Boundary::periodic ? 2.0 * m : m;
    return 2 * std::cos(std::numbers::pi * half_waves / (boundary == Boundary::zero ? n + 1 : n)) - 2;
}

}  // namespace

void check_parity(Device device) {
    struct Case {
        int nx, ny;
        long long steps;
    };
    const Case cases[] = {{1, 1, 5},      {1, 9, 4},       {9, 1, 4},      {2, 2, 7},       {3, 5, 100},
                          {17, 33, 1},    {33, 17, 2},     {128, 16, 37},  {129, 31, 16},   {130, 67, 129},
                          {67, 130, 20},  {257, 129, 300}, {63, 65, 33},   {255, 40, 64},   {705, 41, 35},
                          {1473, 21, 33}, {2049, 21, 25},  {512, 512, 45}, {1003, 517, 26}, {2000, 2000, 9},
                          {4500, 40, 37}};
    for_methods(device, [&](const Method& method, DType dtype) {
        int skipped = 0;
        for (const BoundaryRow& row : kBoundaries) {
            const DiffusionParams params{0.17, row.boundary};
            for (const Case& c : cases) {
                if (is_unfit(method, dtype, c.nx, c.ny)) {
                    ++skipped;
                    continue;
                }
                INFO(describe(method, dtype, params) << " " << c.nx << "x" << c.ny << " steps " << c.steps);
                const Field start = Field(random_field(c.nx, c.ny)).to(dtype);
                const Field truth =
                    plain_steps(start.to(DType::float64).as<double>().clone(), params, c.steps);
                const Field found = stepped(setup_for(method, dtype, c.nx, c.ny, params), start, c.steps);
                REQUIRE(found.dtype() == dtype);
                REQUIRE(relative_error(found, truth) <= error_bound(dtype, c.steps));
            }
        }
        INFO(describe(method, dtype, {}));
        REQUIRE(skipped <= 9);
    });
}

void check_cuts(Device device) {
    for_methods(device, [&](const Method& method, DType dtype) {
        const DiffusionParams params{0.13, Boundary::insulated};
        const int nx = 101;
        const int ny = 77;
        INFO(describe(method, dtype, params));
        const Field start = Field(random_field(nx, ny)).to(dtype);
        const SolverSetup setup = setup_for(method, dtype, nx, ny, params);
        const Field at_once = stepped(setup, start, 301);
        const auto solver = poisoned_solver(setup, start);
        for (const long long steps : {1, 0, 7, 128, 5, 160}) {
            solver->advance(steps);
            solver->field();
            solver->laplacian();
        }
        const Field in_parts = solver->field();
        if (method.jumps) {
            REQUIRE(relative_error(in_parts, at_once) <= error_bound(dtype, 100));
            return;
        }
        at_once.visit([&](const auto& cells) {
            using T = std::remove_cvref_t<decltype(cells.at(0, 0))>;
            REQUIRE(std::ranges::equal(cells.cells(), in_parts.as<T>().cells()));
        });
    });
}

void check_threads() {
    for_methods(Device::cpu, [&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [nx, ny] : {std::pair{131, 77}, std::pair{1711, 45}, std::pair{37, 402}}) {
                const DiffusionParams params{0.21, row.boundary};
                INFO(describe(method, dtype, params) << " " << nx << "x" << ny);
                const Field start = Field(random_field(nx, ny)).to(dtype);
                SolverSetup setup = setup_for(method, dtype, nx, ny, params);
                setup.threads = 1;
                const Field alone = stepped(setup, start, 70);
                for (const int threads : {2, 3, 8}) {
                    setup.threads = threads;
                    const Field together = stepped(setup, start, 70);
                    alone.visit([&](const auto& cells) {
                        using T = std::remove_cvref_t<decltype(cells.at(0, 0))>;
                        REQUIRE(std::ranges::equal(cells.cells(), together.as<T>().cells()));
                    });
                }
            }
    });
}

void check_modes(Device device) {
    for_methods(device, [&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const double c : {0.25, 0.2, 0.13, 0.0625, 0.001}) {
                const DiffusionParams params{c, row.boundary};
                const int nx = 190;
                const int ny = 161;
                // Slow modes, of which much is left at the end: an error relative to nothing says nothing.
                const Mode mode{1, row.boundary == Boundary::zero ? 1 : 0};
                const long long steps = method.float64_state ? 1000 : 10000;
                INFO(describe(method, dtype, params));
                const Array<double> start = eigenmode(row.boundary, nx, ny, mode);
                const double factor =
                    1 + c * (eigenvalue(row.boundary, nx, mode.mx) + eigenvalue(row.boundary, ny, mode.my));
                Array<double> truth = start.clone();
                for (double& value : truth.cells()) value *= std::pow(factor, double(steps));
                const Field found =
                    stepped(setup_for(method, dtype, nx, ny, params), Field(start.clone()), steps);
                REQUIRE(relative_error(found, Field(std::move(truth))) <= error_bound(dtype, steps));
            }
    });
}

void check_totals(Device device) {
    for_methods(device, [&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const double c : {0.25, 0.2, 0.13}) {
                if (!row.conserves_total) continue;
                const DiffusionParams params{c, row.boundary};
                INFO(describe(method, dtype, params));
                const Field start = Field(random_field(150, 90)).to(dtype);
                const Field end = stepped(setup_for(method, dtype, 150, 90, params), start, 1000);
                REQUIRE(std::abs(total(end) / total(start) - 1) <= 2e-6);
                REQUIRE(relative_error(end, start) > 0.1);
            }
    });
}

void check_laplacian(Device device) {
    for_methods(device, [&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [nx, ny] :
                 {std::pair{83, 45}, std::pair{1, 1}, std::pair{1, 6}, std::pair{40, 1}}) {
                const DiffusionParams params{0.19, row.boundary};
                INFO(describe(method, dtype, params) << " " << nx << "x" << ny);
                const auto solver =
                    poisoned_solver(setup_for(method, dtype, nx, ny, params), random_field(nx, ny));
                solver->advance(5);
                const Field field = solver->field().to(DType::float64);
                const Field found = solver->laplacian();
                const FieldView<const double> u = field.as<double>().view();
                Array<double> truth(nx, ny);
                for (int y = 0; y < ny; ++y)
                    for (int x = 0; x < nx; ++x)
                        truth.at(x, y) = laplacian_cell(neighbourhood(u, row.boundary, x, y));
                REQUIRE(relative_error(found, Field(std::move(truth))) <=
                        (dtype == DType::float32 ? 1e-6 : 1e-12));
            }
    });
}

void check_live_changes(Device device) {
    for_methods(device, [&](const Method& method, DType dtype) {
        const int nx = 61;
        const int ny = 47;
        const DiffusionParams first{0.25, Boundary::periodic};
        const DiffusionParams second{0.07, Boundary::zero};
        const DiffusionParams third{0.2, Boundary::insulated};
        INFO(describe(method, dtype, first));
        const Field start = Field(random_field(nx, ny)).to(dtype);
        const auto solver = poisoned_solver(setup_for(method, dtype, nx, ny, first), start);
        Array<double> truth = start.to(DType::float64).as<double>().clone();
        for (const auto& [params, steps] :
             {std::pair{first, 21}, std::pair{second, 130}, std::pair{third, 3}}) {
            solver->set_params(params);
            solver->advance(steps);
            truth = plain_steps(std::move(truth), params, steps);
        }
        REQUIRE(relative_error(solver->field(), Field(std::move(truth))) <= error_bound(dtype, 1000));
    });
}

void check_numpy_fields(Device device) {
    const std::string folder = reference_file("");
    const Field start = read_npy(folder + "/jagged_96x128_seed3966789.npy");
    REQUIRE(start.ny() == 96);
    for_methods(device, [&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const char* c : {"0.1", "0.25"}) {
                const DiffusionParams params{std::stod(c), row.boundary};
                INFO(describe(method, dtype, params));
                const std::string stem = fmt::format("{}/jagged_96x128_{}_c{}_200steps", folder, row.name, c);
                const auto solver = poisoned_solver(setup_for(method, dtype, 128, 96, params), start);
                solver->advance(200);
                const double bound = dtype == DType::float32 ? 1e-6 : 1e-12;
                REQUIRE(relative_error(solver->field(), read_npy(stem + ".npy")) <= bound);
                // The Laplacian is a difference of nearly equal values, so it keeps fewer digits of them.
                REQUIRE(relative_error(solver->laplacian(), read_npy(stem + "_laplacian.npy")) <=
                        100 * bound);
            }
    });
}

}  // namespace stencil_test
