#include <fmt/format.h>

#include "kernels/cuda/gpu_facts.h"
#include "sim/files/npy.h"
#include "sim/solvers/solver.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"
#include "tests/support/plain_diffusion.h"

namespace {

/// Ends acting as another GPU with the test.
struct AsGpu {
    ~AsGpu() { act_as_gpu(""); }
};

// Makes a solver whose buffers contained only NaN before the field was loaded.
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

template <class F>
void for_methods(F&& check) {
    int seen = 0;
    for (const Method& method : methods()) {
        if (method.device != kDevice) continue;
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
    return method.unsupported_reason && !method.unsupported_reason({nx, ny}, bytes_of(dtype)).empty();
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
    return array_of(nx, ny, [&](int x, int y) { return wave(x, nx, mode.mx) * wave(y, ny, mode.my); });
}

// Eigenvalue of the one-dimensional discrete Laplacian: 2 cos(angle) - 2.
double eigenvalue(Boundary boundary, int n, int m) {
    const double half_waves = boundary == Boundary::periodic ? 2.0 * m : m;
    return 2 * std::cos(std::numbers::pi * half_waves / (boundary == Boundary::zero ? n + 1 : n)) - 2;
}

}  // namespace

TEST_CASE("Every method agrees with plain float64 loops on odd sizes, boundaries and step counts") {
    struct Case {
        int nx, ny;
        long long steps;
    };
    const Case cases[] = {{1, 1, 5},      {1, 9, 4},       {9, 1, 4},      {2, 2, 7},       {3, 5, 100},
                          {17, 33, 1},    {33, 17, 2},     {128, 16, 37},  {129, 31, 16},   {130, 67, 129},
                          {67, 130, 20},  {257, 129, 300}, {63, 65, 33},   {255, 40, 64},   {705, 41, 35},
                          {1473, 21, 33}, {2049, 21, 25},  {512, 512, 45}, {1003, 517, 26}, {2000, 2000, 4},
                          {4500, 40, 37}};
    std::map<std::string, int> skipped;
    for (const BoundaryRow& row : kBoundaries)
        for (const Case& c : cases) {
            if (kWatchedMemory && c.nx * c.ny * c.steps > 7'000'000) continue;
            const DiffusionParams params{0.17, row.boundary};
            // Rounded to float32, so that both precisions start from the same field.
            const Field start = Field(random_field(c.nx, c.ny)).to(DType::float32).to(DType::float64);
            const Field truth = plain_steps(start.as<double>().clone(), params, c.steps);
            for_methods([&](const Method& method, DType dtype) {
                INFO(describe(method, dtype, params) << " " << c.nx << "x" << c.ny << " steps " << c.steps);
                if (is_unfit(method, dtype, c.nx, c.ny)) {
                    REQUIRE(++skipped[describe(method, dtype, {})] <= 9);
                    return;
                }
                const Field found =
                    stepped(setup_for(method, dtype, c.nx, c.ny, params), start.to(dtype), c.steps);
                REQUIRE(found.dtype() == dtype);
                REQUIRE(relative_error(found, truth) <= error_bound(dtype, c.steps));
            });
        }
}

TEST_CASE("Cutting a method's steps into calls changes no bit, or only roundings where it jumps") {
    for_methods([&](const Method& method, DType dtype) {
        const DiffusionParams params{0.13, Boundary::insulated};
        const int nx = 101, ny = 77;
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
        if (method.jumps)
            REQUIRE(relative_error(in_parts, at_once) <= error_bound(dtype, 100));
        else
            REQUIRE(same_bits(in_parts, at_once));
    });
}

#ifndef STENCILSCOPE_TESTS_CUDA
TEST_CASE("The number of threads changes no bit of a method's result") {
    for_methods([&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [nx, ny] : {std::pair{131, 77}, {1711, 45}, {37, 402}, {301, 203}}) {
                const DiffusionParams params{0.21, row.boundary};
                INFO(describe(method, dtype, params) << " " << nx << "x" << ny);
                const Field start = Field(random_field(nx, ny)).to(dtype);
                SolverSetup setup = setup_for(method, dtype, nx, ny, params);
                setup.threads = 1;
                const Field alone = stepped(setup, start, 70);
                for (const int threads : {2, 3, 8}) {
                    setup.threads = threads;
                    REQUIRE(same_bits(alone, stepped(setup, start, 70)));
                }
            }
    });
}
#endif

TEST_CASE("Eigenmodes decay by their eigenvalues under every method", "[long]") {
    for_methods([&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const double c : {0.25, 0.13, 0.001}) {
                if (kWatchedMemory && c != 0.13) continue;  // memory use does not depend on the coefficient
                const DiffusionParams params{c, row.boundary};
                const int nx = 190, ny = 161;
                // Slow modes, because an error relative to a field that has decayed is meaningless.
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

TEST_CASE("The total stays under insulated and periodic boundaries with every method", "[long]") {
    for_methods([&](const Method& method, DType dtype) {
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

TEST_CASE("A solver's Laplacian is that of the field it gives") {
    for_methods([&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [nx, ny] : {std::pair{83, 45}, {1, 1}, {1, 6}, {40, 1}}) {
                const DiffusionParams params{0.19, row.boundary};
                INFO(describe(method, dtype, params) << " " << nx << "x" << ny);
                const auto solver =
                    poisoned_solver(setup_for(method, dtype, nx, ny, params), random_field(nx, ny));
                solver->advance(5);
                const Field field = solver->field().to(DType::float64);
                const Field found = solver->laplacian();
                Array<double> truth = plain_laplacian(field.as<double>(), row.boundary);
                REQUIRE(relative_error(found, Field(std::move(truth))) <=
                        (dtype == DType::float32 ? 1e-6 : 1e-12));
            }
    });
}

TEST_CASE("A solver's coefficient and boundary change in mid-run") {
    for_methods([&](const Method& method, DType dtype) {
        const int nx = 61, ny = 47;
        const DiffusionParams first{0.25, Boundary::periodic}, second{0.07, Boundary::zero},
            third{0.2, Boundary::insulated};
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

TEST_CASE("Every method reproduces the NumPy reference fields") {
    const std::string folder = reference_file("");
    const Field start = read_npy(folder + "/jagged_96x128_seed3966789.npy");
    REQUIRE(start.ny() == 96);
    for_methods([&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const char* c : {"0.1", "0.25"}) {
                const DiffusionParams params{std::stod(c), row.boundary};
                INFO(describe(method, dtype, params));
                const std::string stem = fmt::format("{}/jagged_96x128_{}_c{}_200steps", folder, row.name, c);
                const auto solver = poisoned_solver(setup_for(method, dtype, 128, 96, params), start);
                solver->advance(200);
                const double bound = dtype == DType::float32 ? 1e-6 : 1e-12;
                REQUIRE(relative_error(solver->field(), read_npy(stem + ".npy")) <= bound);
                // The Laplacian is a difference of nearly equal values, so its relative error is larger.
                REQUIRE(relative_error(solver->laplacian(), read_npy(stem + "_laplacian.npy")) <=
                        100 * bound);
            }
    });
}

TEST_CASE("Coefficients of 0, below it, and too small or large to scale by step as plain loops do") {
    for_methods([&](const Method& method, DType dtype) {
        for (const BoundaryRow& row : kBoundaries)
            for (const auto& [c, steps] : {std::pair{0.0, 40},
                                           {-0.007, 1},
                                           {-0.05, 37},
                                           {-0.3, 16},
                                           {-1e-30, 5},
                                           {1e-320, 5},
                                           {1e-30, 20},
                                           {1e-18, 20},
                                           {1e-9, 100},
                                           {1.0, 9},
                                           {40.0, 3},
                                           {1e25, 1}}) {
                const DiffusionParams params{c, row.boundary};
                INFO(describe(method, dtype, params));
                const int nx = 67, ny = 45;
                Field start = Field(random_field(nx, ny)).to(DType::float32).to(DType::float64);
                start.as<double>().at(5, 7) = 3e10;
                Array<double> truth = plain_steps(start.as<double>().clone(), params, steps);
                const Field found = stepped(setup_for(method, dtype, nx, ny, params), start.to(dtype), steps);
                if (c == 0)
                    REQUIRE(same_bits(found, start.to(dtype)));
                else
                    REQUIRE(relative_error(found, Field(std::move(truth))) <= error_bound(dtype, 1000));
            }
    });
}

TEST_CASE("The coefficient becomes 0, negative and tiny in mid-run, and comes back, however steps are cut") {
    for_methods([&](const Method& method, DType dtype) {
        const Boundary boundary = Boundary::insulated;
        INFO(describe(method, dtype, {0.2, boundary}));
        const Field start = Field(random_field(101, 77)).to(dtype);
        const SolverSetup setup = setup_for(method, dtype, 101, 77, {0.2, boundary});
        const auto whole = poisoned_solver(setup, start), cut = poisoned_solver(setup, start);
        Array<double> truth = start.to(DType::float64).as<double>().clone();
        for (const auto& [c, steps] : {std::pair{0.2, 21},
                                       {0.0, 7},
                                       {0.2, 3},
                                       {-0.01, 6},
                                       {1e-40, 5},
                                       {0.1, 33},
                                       {1e-320, 2},
                                       {0.25, 2}}) {
            const DiffusionParams params{c, boundary};
            for (Solver* each : {whole.get(), cut.get()}) each->set_params(params);
            whole->advance(steps);
            for (int step = 0; step < steps; ++step) cut->advance(1);
            truth = plain_steps(std::move(truth), params, steps);
        }
        REQUIRE(relative_error(whole->field(), Field(std::move(truth))) <= error_bound(dtype, 1000));
        if (!method.jumps) REQUIRE(same_bits(whole->field(), cut->field()));
    });
}

TEST_CASE(
    "An infinite cell changes only its neighbours in a step, unless sides are zero or the method resident") {
    for_methods([&](const Method& method, DType dtype) {
        if (method.jumps || method.name == "resident") return;
        for (const Boundary boundary : {Boundary::insulated, Boundary::periodic}) {
            const DiffusionParams params{0.2, boundary};
            INFO(describe(method, dtype, params));
            const int nx = 700, ny = 90;
            // Row 4 k has infinite cells in the k-th column from either side.
            const auto infinite = [&](int x, int y) {
                return y % 4 == 0 && (x == y / 4 || x == nx - 1 - y / 4);
            };
            Field start(array_of(nx, ny, [&](int x, int y) {
                return infinite(x, y) ? std::numeric_limits<double>::infinity() : 0.001 * (x + y);
            }));
            const auto beside = [&](int x, int y) {
                for (const auto& [dx, dy] : {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
                    if (infinite((x + dx + nx) % nx, (y + dy + ny) % ny)) return true;
                return false;
            };
            const Field found = stepped(setup_for(method, dtype, nx, ny, params), start.to(dtype), 1);
            const Field wide = found.to(DType::float64);
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    INFO(x << ", " << y);
                    if (!beside(x, y)) REQUIRE(std::isfinite(wide.as<double>().at(x, y)));
                }
        }
    });
}

#ifdef STENCILSCOPE_TESTS_CUDA
TEST_CASE("streaming and resident give the same bits with the plans of any GPU") {
    const AsGpu restored;
    for (const char* name : {"streaming", "resident"})
        for (const DType dtype : kDTypes)
            for (const BoundaryRow& row : kBoundaries)
                for (const auto& [nx, ny] : {std::pair{317, 203}, {703, 91}, {1440, 600}})
                    for (const double c : {0.17, 0.02, 1e-4}) {
                        const Method& method = *find_method(name, Device::cuda);
                        const DiffusionParams params{c, row.boundary};
                        INFO(describe(method, dtype, params) << " " << nx << "x" << ny);
                        const Field start = Field(random_field(nx, ny)).to(dtype);
                        const SolverSetup setup = setup_for(method, dtype, nx, ny, params);
                        REQUIRE(act_as_gpu("") == "");
                        const Field own = stepped(setup, start, 55);
                        for (const KnownGpu& gpu : known_gpus()) {
                            INFO("as " << gpu.name);
                            REQUIRE(act_as_gpu(capability_name(gpu.facts.capability)) == "");
                            if (is_unfit(method, dtype, nx, ny)) continue;
                            const Field other = stepped(setup, start, 55);
                            REQUIRE(same_bits(own, other));
                        }
                    }
}

TEST_CASE(
    "streaming makes 16 steps a pass whatever the coefficient, but one in a narrow field, and says so") {
    const AsGpu restored;
    const Method& method = *find_method("streaming", Device::cuda);
    for (const KnownGpu& gpu : known_gpus()) {
        INFO("as " << gpu.name);
        REQUIRE(act_as_gpu(capability_name(gpu.facts.capability)) == "");
        for (const DType dtype : kDTypes) {
            const auto wide = make_solver(setup_for(method, dtype, 1000, 64, {1e-4, Boundary::zero}));
            wide->load(random_field(1000, 64));
            CHECK(wide->way().steps_fused == 16);
            CHECK(wide->way().why_not.empty());
            CHECK(wide->way().name.starts_with("4 warps a block, "));
            const auto narrow = make_solver(setup_for(method, dtype, 150, 64, {0.2, Boundary::zero}));
            narrow->load(random_field(150, 64));
            CHECK(narrow->way().steps_fused == 1);
            CHECK_THAT(narrow->way().why_not, ContainsSubstring("take tiled or resident"));
        }
    }
}
#endif
