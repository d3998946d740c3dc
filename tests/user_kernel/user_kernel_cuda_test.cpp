// User kernels on the GPU: correct ones are timed, and faults of others are reported.

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "sim/kernel_trial/trial.h"
#include "sim/user_kernel/ladder.h"
#include "sim/user_kernel/occupancy.h"
#include "sim/user_kernel/user_kernel.h"
#include "tests/support/runs.h"

using namespace stencil::user_kernel;

namespace {

RunSpec diffusion(Boundary boundary = Boundary::zero, DType dtype = DType::float32) {
    RunSpec spec;
    spec.initial = "noise";
    spec.boundary = boundary;
    spec.dtype = dtype;
    spec.backend = "cuda";
    return spec;
}

TrialReport tried(const std::string& text, const RunSpec& spec = diffusion(), std::vector<Size> sizes = {}) {
    TrialRequest request;
    request.file = "heat.cu";
    request.text = text;
    request.suite.run = spec;
    request.suite.run.threads = 2;
    request.suite.sizes = std::move(sizes);
    request.suite.repeats = 5;
    request.suite.repeat_seconds = 0.01;
    request.limit_seconds = 20;
    request.program = program_file();
    return try_kernel(request);
}

// A right kernel for the zero boundary, in which the tests plant faults.
const std::string kFirst = R"(// stencilscope: block 8x8
extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;
    const real* u = from.u;
    const long long i = y * size.pitch + x;
    const real north = y > 0 ? u[i - size.pitch] : 0;
    const real south = y < size.ny - 1 ? u[i + size.pitch] : 0;
    const real west = x > 0 ? u[i - 1] : 0;
    const real east = x < size.nx - 1 ? u[i + 1] : 0;
    to.u[i] = u[i] + p.c * (north + south + west + east - 4 * u[i]);
}
)";

// Returns that kernel with a part of its text replaced.
std::string first_with(const std::string& part, const std::string& instead) {
    std::string text = kFirst;
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), instead);
}

// Returns the one-line fault of a kernel, which names its file.
std::string fault_of(const std::string& text) {
    const TrialReport report = tried(text);
    INFO(report.fault);
    CHECK(report.fault.starts_with("heat.cu"));
    CHECK_FALSE(contains(report.fault, "\n"));
    CHECK(report.rows.empty());
    return report.fault;
}

void check_fault(const std::string& text, const std::vector<std::string>& parts) {
    const std::string fault = fault_of(text);
    for (const std::string& part : parts) {
        INFO(fault << "\nlacks: " << part);
        CHECK(contains(fault, part));
    }
}

const std::string kGuard = "if (x >= size.nx || y >= size.ny) return;";

}  // namespace

TEST_CASE("Every rung of the ladder is right, under every boundary and in both precisions") {
    for (const Rung& rung : ladder())
        for (const BoundaryRow& row : kBoundaries) {
            INFO(rung.name << " " << row.name);
            const DType dtype = row.boundary == Boundary::periodic ? DType::float64 : DType::float32;
            const TrialReport report = tried(std::string(rung.text), diffusion(row.boundary, dtype));
            INFO(report.fault);
            CHECK(report.fault.empty());
            CHECK(report.sizes == 7);
        }
}

TEST_CASE("Every rung of the ladder is timed, and its figures have errors as the methods' have") {
    for (const Rung& rung : ladder())
        for (const DType dtype : {DType::float32, DType::float64}) {
            INFO(rung.name << " " << name_of(dtype));
            const TrialReport report =
                tried(std::string(rung.text), diffusion(Boundary::zero, dtype), {{256, 256}, {1000, 37}});
            INFO(report.fault);
            REQUIRE(report.rows.size() == 2);
            for (const SuiteRow& size : report.rows) {
                INFO(size.why_not);
                REQUIRE(size.measured());
                CHECK(size.speed.gcells_per_s > 0);
                // The error of the plain form grows with the steps.
                CHECK(size.error <
                      (dtype == DType::float32 ? 1e-6 + 5e-9 * double(size.total_steps) : 1e-10));
                CHECK(size.error > 0);
            }
        }
}

TEST_CASE("Occupancy is what the driver tells of the rungs on this GPU") {
    const int capability = default_compute_capability();
    for (const Rung& rung : ladder()) {
        const auto kernel = make_user_kernel(diffusion(), std::string(rung.text), "heat.cu", capability);
        const auto occupancy = occupancy_of(kernel->compiled.usage, kernel->shape, capability);
        if (!occupancy) skip("occupancy is known for other generations");
        INFO(rung.name << ": " << kernel->compiled.usage.registers << " registers");
        CudaStream stream;
        const equation::LoadedKernels loaded(kernel->compiled.cubin, stream);
        const auto resources = prepare_kernel(loaded.find(std::string(kernel->shape.entry())),
                                              kernel->shape.block_x * kernel->shape.block_y,
                                              kernel->shape.shared_bytes);
        CHECK(occupancy->blocks == resources.blocks);
    }
}

TEST_CASE("A kernel for one boundary is told which other it lacks") {
    const std::string fault = tried(kFirst, diffusion(Boundary::periodic)).fault;
    INFO(fault);
    CHECK(contains(fault, "periodic boundary"));
    CHECK(contains(fault, "edge"));
}

TEST_CASE("A kernel may make several steps a launch") {
    const std::string text =
        "// stencilscope: steps 2\n"
        "__device__ real after(const real* u, Size s, real c, int x, int y, int n) {\n"
        "    if (x < 0 || y < 0 || x >= s.nx || y >= s.ny) return 0;\n"
        "    if (n == 0) return u[y * s.pitch + x];\n"
        "    const real center = after(u, s, c, x, y, n - 1);\n"
        "    return center + c * (after(u, s, c, x, y - 1, n - 1) + after(u, s, c, x, y + 1, n - 1) +\n"
        "                         after(u, s, c, x - 1, y, n - 1) + after(u, s, c, x + 1, y, n - 1) - 4 * "
        "center);\n"
        "}\n"
        "extern \"C\" __global__ void steps(From from, To to, Size size, Parameters p, int n) {\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
        "threadIdx.y;\n"
        "    if (x >= size.nx || y >= size.ny) return;\n"
        "    to.u[y * size.pitch + x] = after(from.u, size, p.c, x, y, n);\n"
        "}\n";
    const TrialReport report = tried(text, diffusion(), {{300, 200}});
    INFO(report.fault);
    CHECK(report.fault.empty());
    CHECK(report.steps_fused == 2);
    REQUIRE(report.rows.size() == 1);
    CHECK(report.rows.front().error < 1e-4);
}

TEST_CASE("A kernel steps a typed model of two components") {
    RunSpec spec = diffusion();
    spec.use_model(find_model("gray-scott"));
    spec.initial = "";
    const std::string text =
        "__device__ int wrap(int i, int n) { return i < 0 ? n - 1 : i >= n ? 0 : i; }\n"
        "__device__ real lap(const real* u, Size s, int x, int y) {\n"
        "    const int row = y * s.pitch;\n"
        "    return u[wrap(y - 1, s.ny) * s.pitch + x] + u[wrap(y + 1, s.ny) * s.pitch + x] +\n"
        "           u[row + wrap(x - 1, s.nx)] + u[row + wrap(x + 1, s.nx)] - 4 * u[row + x];\n"
        "}\n"
        "extern \"C\" __global__ void step(From from, To to, Size size, Parameters p) {\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
        "threadIdx.y;\n"
        "    if (x >= size.nx || y >= size.ny) return;\n"
        "    const int i = y * size.pitch + x;\n"
        "    const real u = from.u[i], v = from.v[i], uvv = u * v * v, h = p.dx * p.dx;\n"
        "    to.u[i] = u + p.dt * (p.Du * lap(from.u, size, x, y) / h - uvv + p.F * (1 - u));\n"
        "    to.v[i] = v + p.dt * (p.Dv * lap(from.v, size, x, y) / h + uvv - (p.F + p.K) * v);\n"
        "}\n";
    spec.dt = FixedStep{1};
    const TrialReport report = tried(text, spec, {{257, 129}});
    INFO(report.fault);
    CHECK(report.fault.empty());
    REQUIRE(report.rows.size() == 1);
    CHECK(report.rows.front().error < 1e-2);
}

TEST_CASE("A kernel is given the time, also after a change of dt") {
    const std::string text =
        "extern \"C\" __global__ void step(From from, To to, Size size, Parameters p) {\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
        "threadIdx.y;\n"
        "    if (x >= size.nx || y >= size.ny) return;\n"
        "    const int i = y * size.pitch + x;\n"
        "    to.u[i] = from.u[i] + p.dt * sin(p.t);\n"
        "}\n";
    RunSpec spec = spec_of_text("du/dt = sin(t); dt = 0.1; size = 33x17; boundary = periodic");
    spec.dtype = DType::float64;
    spec.backend = "cuda";
    spec.steps = 100;
    set_setting(spec, "at", "40:dt=0.25");
    spec.kernel = make_user_kernel(spec, text, "clock.cu", default_compute_capability());
    Simulation simulation = begun(spec);
    simulation.apply(Advance{100});
    double u = 0, t = 0;
    for (int step = 0; step < 100; ++step) {
        const double dt = step < 40 ? 0.1 : 0.25;
        u += dt * std::sin(t);
        t += dt;
    }
    for (const double cell : cells_of(simulation.field())) REQUIRE(std::abs(cell - u) < 1e-12);
    CHECK(std::abs(simulation.solver().time() - t) < 1e-12);
}

TEST_CASE("Faults that are planted in a kernel are found and told") {
    check_fault(first_with("x < size.nx - 1 ? u[i + 1] : 0", "x < size.nx - 1 ? u[i + 1] : u[i]"),
                {"last column", "zero boundary"});
    check_fault(first_with(kGuard, "if (y >= size.ny) return;"), {"outside of the field", "37x53"});
    check_fault(first_with("to.u[i] =", "to.u[i + size.pitch * size.ny] = to.u[i] ="),
                {"behind the last row"});
    check_fault(first_with("to.u[i] =", "((real*)u)[i] = to.u[i] ="), {"`from`"});
    check_fault(first_with(kGuard, "if (x >= size.nx - 1 || y >= size.ny) return;"), {"never written"});
    check_fault(first_with("y > 0 ? u[i - size.pitch] : 0", "u[i - size.pitch]"), {"not a number"});
    check_fault(first_with("block 8x8", "block 8x8, tile 16x8"), {"never written"});
    check_fault(first_with("to.u[i] = u[i]", "to.u[i] = 0"), {"every cell is wrong"});
}

TEST_CASE("A race is told where its results differ") {
    // The clock differs between launches, and changes values by almost nothing.
    check_fault(first_with("to.u[i] =", "to.u[i] = real(clock64() % 1000) * real(1e-9) +"),
                {"different results"});
}

TEST_CASE("A kernel that hangs, crashes or cannot be launched ends alone, with one line") {
    TrialRequest request;
    request.file = "heat.cu";
    request.text = first_with(kGuard, "while (size.nx > 0) __nanosleep(100);");
    request.suite.run = diffusion();
    request.limit_seconds = 5;
    request.program = program_file();
    const std::string hung = try_kernel(request).fault;
    INFO(hung);
    CHECK(contains(hung, "did not end within 5 s"));
    check_fault(first_with("to.u[i] =", "to.u[i + (1LL << 40)] ="), {"far outside"});
    check_fault(first_with("to.u[i] =", "*(double*)((char*)&to.u[i] + 1) = 0; to.u[i] ="), {"multiple"});
    check_fault(first_with(kGuard, kGuard + " __trap();"), {"__trap()"});
    // The next kernel is unaffected.
    CHECK(tried(kFirst).fault.empty());
}
