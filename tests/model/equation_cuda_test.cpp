// Typed equations have the same bits on the GPU as on the CPU; imex agrees up to rounding of the transforms.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <thread>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/model/model.h"
#include "tests/model/manufactured.h"
#include "tests/model/sides_grid.h"

using namespace stencil::equation;

namespace {

std::string cubin_of_text(const std::string& text) {
    return compile_cuda(text, code_target()).cubin;
}

template <class T>
std::string cubin_of(const Program& program) {
    return cubin_of_text(cuda_text(program, sizeof(T) == 8));
}

EquationSetup setup_of(const Equations& e, int nx, int ny) {
    return stencil_test::setup_of(e, TypedRun{.nx = nx, .ny = ny});
}

template <class T>
RowCopy row_copy(FieldView<T> to, FieldView<T> from) {
    return {to.data,
            std::size_t(to.pitch) * sizeof(T),
            from.data,
            std::size_t(from.pitch) * sizeof(T),
            std::size_t(to.nx) * sizeof(T),
            std::size_t(to.ny)};
}

/// Runs one program on both devices.
template <class T>
class OnBoth {
  public:
    OnBoth(Program program, const EquationSetup& setup, const std::string& cubin)
        : program_(std::move(program)),
          setup_(setup),
          cpu(program_, setup, pool_),
          cuda(program_, setup, cubin, stream_) {}

    /// Sets every cell of a component or data array on the CPU, and copies it to the GPU.
    void write(int array, const std::function<double(int x, int y)>& value) {
        set_cells(cpu.array(array), value);
        copy_to_device(row_copy(cuda.array(array), cpu.array(array)), stream_);
    }
    void write(int array, FieldView<T> from) {
        write(array, [&](int x, int y) { return double(from.at(x, y)); });
    }
    template <class Action>
    void both(Action&& action) {
        action(cpu);
        action(cuda);
    }

    void use(const KernelShape& shape, int steps_of_launch, const std::string& cubin) {
        cuda.use(make_several_steps(
            FusedProgram(program_), sizeof(T) == 8, shape, setup_, steps_of_launch, cubin, stream_));
    }

    /// Describes the first cell whose bits differ; all NaNs are considered equal.
    std::string difference() {
        for (int array = 0; array < program_.components; ++array) {
            const FieldView<T> expected = cpu.array(array);
            std::vector<T> cells(std::size_t(expected.nx) * std::size_t(expected.ny));
            const FieldView<T> got{cells.data(), expected.nx, expected.ny, expected.nx};
            copy_to_host(row_copy(got, cuda.array(array)), stream_);
            for (int y = 0; y < expected.ny; ++y)
                for (int x = 0; x < expected.nx; ++x) {
                    const T a = expected.at(x, y), b = got.at(x, y);
                    if (std::memcmp(&a, &b, sizeof(T)) != 0 && !(std::isnan(a) && std::isnan(b)))
                        return fmt::format(
                            "{} at {}, {}: {} and {}", program_.arrays[std::size_t(array)].name, x, y, a, b);
                }
        }
        return cpu.step() == cuda.step() && cpu.time() == cuda.time() ? "" : "step or time";
    }

  private:
    Program program_;
    EquationSetup setup_;
    ThreadPool pool_{2};
    CudaStream stream_;

  public:
    EquationStepper<T> cpu;
    CudaEquationStepper<T> cuda;
};

enum class KernelKind { single, fused, resident };

/// Acts as a known GPU during its lifetime.
struct ActingAs {
    explicit ActingAs(const KnownGpu& gpu) {
        REQUIRE(act_as_gpu(capability_name(gpu.facts.capability)) == "");
    }
    ~ActingAs() { act_as_gpu(""); }
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;
};

/// A problem, and the code of its kernels.
struct Job {
    std::string name;
    Equations equations;
    Program program;
    std::optional<Program> start = {};  ///< of its initial state; empty: `values`
    Start values = {};
    std::string cubin = {}, start_cubin = {};
    std::string several = {};  ///< of a kernel of several steps
};

/// The most promising kernel of several steps, if there is one of this kind.
std::optional<KernelShape> shape_of(const Program& program, bool float64, KernelKind kind, FieldCells size) {
    const FusedProgram fused(program);
    if (kind == KernelKind::resident)
        for (const ResidentShape& shape : resident_shapes(fused, float64, size, gpu_facts()).all)
            return shape;
    if (kind == KernelKind::fused)
        for (const FusedShape& shape : fused_shapes(fused, float64, size, gpu_facts())) return shape;
    return std::nullopt;
}

/// Compiles all jobs by eight threads. Those whose program has no such kernel get none.
template <class T>
void compile(std::vector<Job>& jobs, KernelKind kernel, FieldCells size) {
    constexpr bool kFloat64 = sizeof(T) == 8;
    ThreadPool pool(8);
    pool.for_ranges(std::int64_t(jobs.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
            Job& job = jobs[i];
            const FusedProgram fused(job.program);
            if (job.cubin.empty()) job.cubin = cubin_of<T>(job.program);
            if (job.start && job.start_cubin.empty()) job.start_cubin = cubin_of<T>(*job.start);
            job.several.clear();
            if (!why_single_steps(job.program).empty()) continue;
            if (const auto shape = shape_of(job.program, kFloat64, kernel, size))
                job.several = cubin_of_text(text_of(fused, kFloat64, size, *shape));
        }
    });
}

/// Compares the steps on both devices; false if the kernel can make none of them.
template <class T>
bool compare(const Job& job, KernelKind kernel, int nx, int ny, int steps) {
    constexpr bool kFloat64 = sizeof(T) == 8;
    if (kernel != KernelKind::single && job.several.empty()) return false;
    INFO(job.name << ", " << nx << "x" << ny);
    const EquationSetup setup = setup_of(job.equations, nx, ny);
    OnBoth<T> run(job.program, setup, job.cubin);
    if (job.start) {
        OnBoth<T> start(*job.start, setup, job.start_cubin);
        start.both([](auto& stepper) { stepper.advance(1); });
        CHECK(start.difference() == "");
        for (int c = 0; c < job.program.components; ++c) run.write(c, start.cpu.array(c));
    } else {
        for (int c = 0; c < job.program.components; ++c)
            run.write(c, [&](int x, int y) { return job.values(c, x, y); });
    }
    if (const auto shape = shape_of(job.program, kFloat64, kernel, {nx, ny}))
        run.use(*shape, 4 * steps / 5, job.several);
    if (kernel != KernelKind::single && run.cuda.fused()->steps_of(steps) == 0) return false;
    run.both([&](auto& stepper) { stepper.advance(steps); });
    CHECK(run.difference() == "");
    return true;
}

// Lists every model with every integrator that supports it (of those that keep no rates, without
// `keeping_rates`), or with its own alone.
std::vector<Job> jobs_of(bool float64, bool own_alone, bool keeping_rates = false) {
    std::vector<Job> jobs;
    std::vector<std::string> schemes = explicit_integrators();
    std::erase_if(schemes, [&](const std::string& name) {
        const Integrator scheme = scheme_of(name);
        return !keeping_rates && (scheme->is_multistep || scheme->tableau != nullptr || scheme.stages > 0);
    });
    for (const Preset& preset : presets())
        for (const std::string& scheme : schemes) {
            Job job{fmt::format("{}, {}", preset.name, scheme), read_equations(preset.text), {}};
            if (uses_transforms(job.equations)) continue;  // they round otherwise there
            if (own_alone && name_of(job.equations.integrator) != scheme) continue;
            const std::string unsupported_reason = message_of<InputError>([&] {
                job.program =
                    make_program(job.equations, scheme_of(scheme), float64, job.equations.dt.value_or(0.1));
            });
            if (!unsupported_reason.empty()) continue;
            job.start = make_start_program(job.equations, float64);
            jobs.push_back(std::move(job));
        }
    return jobs;
}

/// Returns the cells of all components.
template <class T>
std::vector<T> cells_of(CudaEquationStepper<T>& stepper, int components, CudaStream& stream) {
    std::vector<T> all;
    for (int c = 0; c < components; ++c) {
        const FieldView<T> from = stepper.component(c);
        std::vector<T> cells(std::size_t(from.nx) * std::size_t(from.ny));
        copy_to_host(row_copy(FieldView<T>{cells.data(), from.nx, from.ny, from.nx}, from), stream);
        all.insert(all.end(), cells.begin(), cells.end());
    }
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE("Every model has the CPU's bits on the GPU, by every stepper", "", float, double) {
    std::vector<Job> jobs = jobs_of(sizeof(TestType) == 8, false, true);
    CHECK(jobs.size() > 3 * presets().size());
    compile<TestType>(jobs, KernelKind::single, {});
    // Larger than a block in both directions, with partial vectors and rows.
    for (const Job& job : jobs) compare<TestType>(job, KernelKind::single, 141, 27, 37);
}

TEMPLATE_TEST_CASE("Every model has the CPU's bits on the GPU several steps at a time", "", float, double) {
    constexpr int kColumns = 661, kRows = 83;  // several strips, the last one misaligned
    std::vector<Job> jobs = jobs_of(sizeof(TestType) == 8, true);
    compile<TestType>(jobs, KernelKind::fused, {kColumns, kRows});
    std::size_t compared = 0;
    for (const Job& job : jobs) compared += compare<TestType>(job, KernelKind::fused, kColumns, kRows, 37);
    CHECK(compared > presets().size() / 2);
}

TEMPLATE_TEST_CASE("Every model has the CPU's bits when it stays on the multiprocessors", "", float, double) {
    for (const auto& [nx, ny, own_alone] : {std::tuple(61, 83, false), {301, 263, true}}) {
        std::vector<Job> jobs = jobs_of(sizeof(TestType) == 8, own_alone);
        compile<TestType>(jobs, KernelKind::resident, {nx, ny});
        // Programs with too many arrays or registers do not fit.
        std::size_t compared = 0;
        for (const Job& job : jobs) compared += compare<TestType>(job, KernelKind::resident, nx, ny, 37);
        CHECK(compared >= jobs.size() - jobs.size() / 8);
    }
}

// The driver translates the PTX of older GPUs for the one at hand, so all branches of the generated text run.
TEMPLATE_TEST_CASE("Every kernel of several steps has the bits of single steps, as on every known GPU",
                   "",
                   float,
                   double) {
    using T = TestType;
    constexpr bool kFloat64 = sizeof(T) == 8;
    constexpr int kColumns = 661, kRows = 83, kSteps = 41, kStepsOfLaunch = 17;
    ThreadPool pool(8);
    std::size_t fused_kernels = 0;
    for (const std::size_t number : {0, 1, 2, 5}) {
        const Equations e = read_equations(kTexts[number]);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        const EquationSetup setup = setup_of(e, kColumns, kRows);
        CudaStream stream;
        const auto cells_by = [&](std::unique_ptr<SeveralSteps> kernel) {
            CudaEquationStepper<T> stepper(program, setup, cubin_of<T>(program), stream);
            AlignedBuffer<T> start(std::size_t(kColumns) * kRows);
            const FieldView<T> view{start.data(), kColumns, kRows, kColumns};
            for (int c = 0; c < program.components; ++c) {
                set_cells(view, [&](int x, int y) { return TypedRun().start(c, x, y); });
                copy_to_device(row_copy(stepper.component(c), view), stream);
            }
            if (kernel) stepper.use(std::move(kernel));
            stepper.advance(kSteps);
            return cells_of(stepper, program.components, stream);
        };
        const std::vector<T> expected = cells_by(nullptr);
        for (const KnownGpu& gpu : known_gpus()) {
            const ActingAs as(gpu);
            INFO(kTexts[number] << " as on " << gpu.name);
            const auto shapes = kernel_shapes(fused, kFloat64, {kColumns, kRows}, gpu_facts()).all;
            std::vector<std::unique_ptr<SeveralSteps>> kernels(shapes.size());
            pool.for_ranges(std::int64_t(shapes.size()), [&](std::int64_t begin, std::int64_t end) {
                for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                    const std::string cubin =
                        cubin_of_text(text_of(fused, kFloat64, {kColumns, kRows}, shapes[i]));
                    kernels[i] =
                        make_several_steps(fused, kFloat64, shapes[i], setup, kStepsOfLaunch, cubin, stream);
                }
            });
            CHECK_FALSE(shapes.empty());
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                INFO(name_of(shapes[i]));
                fused_kernels += std::holds_alternative<FusedShape>(shapes[i]) ? 1 : 0;
                REQUIRE(kernels[i]->steps_of(kSteps) > 0);
                CHECK(same_bits(cells_by(std::move(kernels[i])), expected));
            }
        }
    }
    CHECK(fused_kernels >= 2 * known_gpus().size());
}

TEMPLATE_TEST_CASE("Integrators that keep rates have the CPU's bits several steps at a time",
                   "",
                   float,
                   double) {
    for (const KernelKind kernel : {KernelKind::fused, KernelKind::resident}) {
        constexpr int kColumns = 261, kRows = 83;
        std::vector<Job> jobs;
        for (const IntegratorRow& row : integrators()) {
            if (row.tableau == nullptr && row.stages == 0) continue;
            Job job{row.name, read_equations(kTexts.front()), {}};
            const Integrator scheme(row, row.stages > 0 ? 3 : 0);
            job.program = make_program(job.equations, scheme, sizeof(TestType) == 8, 0.1);
            job.values = TypedRun().start;
            jobs.push_back(std::move(job));
        }
        compile<TestType>(jobs, kernel, {kColumns, kRows});
        std::size_t compared = 0;
        for (const Job& job : jobs) compared += compare<TestType>(job, kernel, kColumns, kRows, 37);
        CHECK(compared >= 2);
    }
}

// The CPU's order of accuracy is tested in manufactured_test.cpp.
TEST_CASE("Manufactured solutions have the CPU's bits by each kernel of the GPU, at each kind of side") {
    constexpr int kCells = 133, kSteps = 19;
    const Solution u;
    std::vector<Job> jobs;
    for (const std::string& sides : kSideKinds)
        for (const Manufactured& one : manufactured(sides)) {
            const char* scheme = std::array{"euler", "heun", "rk4"}[jobs.size() % 3];
            const ManufacturedRun made = run_of(u, {one}, kCells, 1e-5 * kSteps, kSteps, scheme);
            Job job{made.text, read_equations(made.text), {}};
            job.program = make_program(job.equations, scheme_of(scheme), true);
            job.values = made.run.start;
            jobs.push_back(std::move(job));
        }
    for (const KernelKind kernel : {KernelKind::single, KernelKind::fused, KernelKind::resident}) {
        compile<double>(jobs, kernel, {kCells, kCells});
        std::size_t compared = 0;
        for (const Job& job : jobs) compared += compare<double>(job, kernel, kCells, kCells, kSteps);
        CHECK(compared >= jobs.size() / 2);
    }
}

TEMPLATE_TEST_CASE("Sides, noise, data and odd sizes have the CPU's bits on the GPU", "", float, double) {
    using T = TestType;
    const std::string text = GENERATE(
        from_range(kTexts),
        "du/dt = div(array(\"D.npy\")*grad(u)) + array(\"E.npy\")[+1,-1]; dt = 0.05; boundary = zero");
    INFO(text);
    const Equations e = read_equations(text);
    const Program program = program_of<T>(e);
    const std::string cubin = cubin_of<T>(program);
    for (const auto& [nx, ny] :
         {std::pair(1, 1), {1, 9}, {3, 2}, {4, 8}, {128, 8}, {129, 9}, {133, 17}, {5, 70}}) {
        INFO(nx << "x" << ny);
        OnBoth<T> run(program, setup_of(e, nx, ny), cubin);
        for (int a = 0; a < int(program.arrays.size()); ++a)
            if (a < program.components || program.arrays[std::size_t(a)].data >= 0)
                run.write(a, [&](int x, int y) { return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * a) % 11); });
        // Several launches one by one, then in a graph, then cut.
        run.cpu.advance(80);
        for (const int steps : {1, 2, 64, 0, 13}) run.cuda.advance(steps);
        CHECK(run.difference() == "");
    }
}

TEST_CASE("A field of more rows than a grid has blocks along y has the CPU's bits on the GPU") {
    const Equations e = read_equations("du/dt = lap(u) + y; left: u = t; right: u = 0; dt = 0.1");
    const Program program = program_of<float>(e);
    const int rows = kCudaBlocksY * cuda_block(program, false).height() + 77;
    OnBoth<float> run(program, setup_of(e, 3, rows), cubin_of<float>(program));
    run.write(0, [](int x, int y) { return x + 0.001 * (y % 1000); });
    run.both([](auto& stepper) { stepper.advance(3); });
    CHECK(run.difference() == "");
}

TEST_CASE("What is set or written between steps counts on the GPU as on the CPU") {
    Dice random;
    const auto* text =
        GENERATE("du/dt = D*lap(u) + c; D = 0.1; c = 0; dt = 0.3; left: u = c*y; right: flux(u) = 0",
                 "du/dt = D*lap(u) + c + 0.01*normal + sin(t); D = 0.1; c = 0; dt = 0.3; "
                 "boundary = zero; inside = (x - 20)^2 < 200*D");
    INFO(text);
    const Equations e = read_equations(text);
    const Program program = program_of<double>(e);
    OnBoth<double> run(program, setup_of(e, 45, 31), cubin_of<double>(program));
    const auto anything = [&](int, int) { return random.uniform(-1, 1); };
    run.write(0, anything);
    const auto advance = [&](long long steps) {
        run.both([&](auto& stepper) { stepper.advance(steps); });
        CHECK(run.difference() == "");
    };
    advance(75);
    run.both([](auto& stepper) { stepper.set_parameters({0.2, 1.5}); });
    advance(1);
    advance(64);
    run.both([](auto& stepper) { stepper.set_dt(0.125); });
    advance(65);
    run.write(0, anything);
    advance(33);
    run.both([](auto& stepper) { stepper.restart(1000, 7.5); });
    advance(40);
    const Clock clock = run.cpu.clock();
    CHECK((run.cuda.clock().step == clock.step && run.cuda.clock().time == clock.time));
}

TEMPLATE_TEST_CASE("Global values that lag have the CPU's bits on the GPU, however it is cut",
                   "",
                   float,
                   double) {
    const auto* text = GENERATE(
        "du/dt = 0.2*lap(u) + u - u^3 - mean(u - u^3); dt = 0.1; boundary = periodic",
        "du/dt = 0.2*lap(u) - u*max(abs(dx(u))) + 0.01*t; dv/dt = 0.1*lap(v) - 0.01*v*integral(u) + "
        "mean((u - mean(u))^2); dt = 0.1; left: v = min(u); right: v = 0; boundary = insulated",
        "du/dt = 0.2*lap(u) - mean(u); dt = 0.1; boundary = insulated; inside = (x - 40)^2 + y^2 < 900 + t; "
        "edge: u = 0.1*max(u)");
    CAPTURE(text);
    const Equations e = read_equations(text);
    const Program program = program_of<TestType>(e);
    OnBoth<TestType> run(program, setup_of(e, 130, 95), cubin_of<TestType>(program));
    run.both([](auto& stepper) { stepper.set_global_every(13); });
    Dice random;
    for (int c = 0; c < program.components; ++c)
        run.write(c, [&](int, int) { return random.uniform(-1, 1); });
    for (const int steps : {1, 40, 6, 55, 3}) {
        run.both([&](auto& stepper) { stepper.advance(steps); });
        REQUIRE(run.difference() == "");
        REQUIRE(run.cpu.globals() == run.cuda.globals());
    }
    // Taken over as from a checkpoint.
    const std::vector<double> kept = run.cuda.globals();
    run.both([&](auto& stepper) {
        stepper.restart(stepper.step(), stepper.time());
        stepper.keep_globals(kept);
        stepper.advance(4);
    });
    CHECK(run.difference() == "");
}

TEST_CASE("Kernels are compiled once the steps to come are worth it, and what was tried is told") {
    const Equations e = read_equations("du/dt = 0.1*lap(u) - u^3; dt = 0.1; boundary = periodic");
    const Program program = program_of<float>(e);
    std::atomic<int> compiled = 0;
    CudaStream stream;
    std::map<std::string, std::string> kept;
    const KernelMaker maker{
        [&](const std::string& text) {
            ++compiled;
            return cubin_of_text(text);
        },
        [&](const std::string& candidates) { return kept[candidates]; },
        [&](const std::string& candidates, const std::string& name) { kept[candidates] = name; }};
    const std::string cubin = cubin_of<float>(program);
    CudaEquationStepper<float> stepper(program, setup_of(e, 1000, 700), cubin, stream, maker);
    stepper.expect(1000);  // takes some milliseconds
    stepper.advance(200);
    CHECK_FALSE(stepper.compiling());
    CHECK(stepper.fused() == nullptr);
    stepper.expect(100'000'000);
    stepper.wait_for_compiler();
    CHECK_FALSE(stepper.compiling());
    CHECK(compiled > 0);
    REQUIRE(stepper.tried().size() == std::size_t(compiled) + 1);
    CHECK(stepper.tried().front().name == stepper.single_steps());
    for (const auto& [name, resources, seconds] : stepper.tried()) {
        INFO(name);
        CHECK(resources.registers > 16);
        CHECK(resources.blocks > 0);
        CHECK(seconds > 0);
    }
    REQUIRE(stepper.fused() != nullptr);
    REQUIRE(kept.size() == 1);
    CHECK(kept.begin()->second == stepper.fused()->name);

    // A later run compiles the fastest alone.
    compiled = 0;
    CudaEquationStepper<float> later(program, setup_of(e, 1000, 700), cubin, stream, maker);
    later.expect(100'000'000);
    for (int i = 0; later.fused() == nullptr && i < 3000; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        later.advance(1);
    }
    REQUIRE(later.fused() != nullptr);
    CHECK(compiled == 1);
    CHECK(later.fused()->name == kept.begin()->second);
    // Another size has candidates of its own.
    CudaEquationStepper<float> other(program, setup_of(e, 900, 700), cubin, stream, maker);
    other.wait_for_compiler();
    CHECK(compiled > 2);
}

TEST_CASE("A text that is no CUDA and code that is none are told") {
    CHECK(contains(message_of<CudaError>([] { cubin_of_text("__global__ void f() { g(); }"); }), "\"g\""));
    const Equations e = read_equations("du/dt = lap(u)");
    const Program program = program_of<float>(e);
    CudaStream stream;
    CHECK_THROWS_AS(CudaEquationStepper<float>(program, setup_of(e, 8, 8), std::string(4096, '?'), stream),
                    CudaError);
    const std::string other = cubin_of_text("extern \"C\" __global__ void other() {}");
    CHECK_THROWS_AS(CudaEquationStepper<float>(program, setup_of(e, 8, 8), other, stream), CudaError);
}

// Steps on both devices, on the GPU in one go and in pieces.
template <class T>
void require_near_cpu(const Equations& e, const Program& program) {
    const std::string cubin = cubin_of<T>(program);
    for (const auto& [nx, ny] : {std::pair(1, 1), {7, 5}, {129, 66}, {300, 131}}) {
        INFO(nx << "x" << ny);
        const EquationSetup setup = setup_of(e, nx, ny);
        ThreadPool pool(2);
        CudaStream stream;
        EquationStepper<T> cpu(program, setup, pool);
        CudaEquationStepper<T> whole(program, setup, cubin, stream), cut(program, setup, cubin, stream);
        for (int c = 0; c < program.components; ++c) {
            const FieldView<T> to = cpu.component(c);
            set_cells(to,
                      [&](int x, int y) { return 0.3 * std::cos(0.2 * x + c) + 0.2 * std::sin(0.3 * y); });
            copy_to_device(row_copy(whole.component(c), to), stream);
            copy_to_device(row_copy(cut.component(c), to), stream);
        }
        stream.synchronize();
        cpu.advance(40);
        whole.advance(40);
        for (const int steps : {1, 2, 33, 0, 4}) cut.advance(steps);
        const auto cells = cells_of(whole, program.components, stream);
        REQUIRE(cells == cells_of(cut, program.components, stream));
        const auto on_cpu = cells_of(cpu, program.components);
        const std::vector<double> exact(on_cpu.begin(), on_cpu.end());
        REQUIRE(relative_error(cells, exact) <= (sizeof(T) == 8 ? 1e-12 : 1e-4));
    }
}

TEMPLATE_TEST_CASE("imex on the GPU is the CPU's but for roundings, however its steps are cut",
                   "",
                   float,
                   double) {
    using T = TestType;
    const std::string equations = GENERATE(
        "du/dt = lap(u^3 - u - lap(u)); dt = 0.1; ",
        "du/dt = -lap(v) + 0.4*cos(x)*v; dv/dt = lap(u) - 0.4*cos(x)*u; dt = 0.2; ",
        "du/dt = lap(u) - v; dv/dt = 2*lap(v) + u - w; dw/dt = lap2(v)/50 - lap2(w)/9 - w*t*u; dt = 0.1; ",
        "da/dt = lap(a) - b; db/dt = lap(b) + a; dc/dt = lap(c) + d; dd/dt = lap(d) - c; de/dt = lap(e) + "
        "a*b; dt = 0.1; ");
    const std::string sides =
        GENERATE("boundary = periodic", "boundary = zero", "boundary = insulated", "x: zero; y: periodic");
    INFO(equations << sides);
    const Equations e = read_equations(equations + sides);
    require_near_cpu<T>(e, make_program(e, scheme_of("imex"), sizeof(T) == 8));
}

TEMPLATE_TEST_CASE("Implicit steps on the GPU are the CPU's but for roundings at each kind of side",
                   "",
                   float,
                   double) {
    using T = TestType;
    const std::string sides = kRuledSides[GENERATE(range(std::size_t(0), kRuledSides.size()))].text;
    const std::string integrator = GENERATE("implicit", "crank-nicolson", "imex");
    INFO(sides << ", " << integrator);
    const Equations e = read_equations("du/dt = lap(u) - 0.1*u*v; dv/dt = 2*lap(v) - v; dt = 0.2; " + sides +
                                       "; y: v = cos(t)");
    require_near_cpu<T>(e, make_program(e, scheme_of(integrator), sizeof(T) == 8));
}

TEMPLATE_TEST_CASE("Elliptic equations on the GPU have the CPU's solutions but for roundings, cut anywhere",
                   "",
                   float,
                   double) {
    using T = TestType;
    const std::string equations = GENERATE(
        "du/dt = 0.2*lap(u) - dy(psi)*dx(u) + dx(psi)*dy(u); lap(psi) = -u; stepper = rk4; dt = 0.05; ",
        "du/dt = 0.2*lap(u) + v*psi; dv/dt = psi - v; lap2(psi) + psi = v - u; stepper = symplectic; dt = "
        "0.05; ",
        "du/dt = 0.2*lap(u) - dx(psi) + chi; lap(psi) - 2*a*psi = u*t; 0.3*lap(chi) - chi = psi; stepper = "
        "imex; sensitivity = a; dt = 0.05; a = 1; ");
    const std::string sides = GENERATE("boundary = periodic",
                                       "boundary = zero",
                                       "boundary = insulated",
                                       "x: zero; y: periodic",
                                       "left, right: psi = sin(y + t); y: insulated",
                                       "left: psi = 1; right: flux(psi) = 0.2; top: flux(psi) = t; bottom: "
                                       "psi = sin(x)");
    INFO(equations << sides);
    const Equations e = read_equations(equations + sides);
    require_near_cpu<T>(e, program_of<T>(e));
}

TEMPLATE_TEST_CASE("Convolutions on the GPU are the CPU's but for roundings, cut anywhere",
                   "",
                   float,
                   double) {
    using T = TestType;
    const std::string equations = GENERATE(
        "du/dt = 0.2*lap(u) + sin(u)*(1 - conv(u, exp(-r^2/(9*a))/20)); a = 1; stepper = rk4; dt = 0.05; ",
        "du/dt = -u + conv(v, K) - conv(v, ind(r < 3)/40) + 0.1*conv(u, K); dv/dt = tanh(u) - v; K = "
        "exp(-abs(rx - 1) - r)/9; stepper = heun; dt = 0.1; ",
        "u' = clamp(u + 0.1*conv(v, K/integral(K)) - 0.05*u, 0, 1); v' = 0.5*v + 0.1*u; K = exp(-(r - "
        "4)^2); ",
        "du/dt = lap(u) - conv(u, exp(-r)/9) + psi; lap(psi) - psi = -conv(u, exp(-r)/9); sensitivity = a; a "
        "= 1; stepper = imex; dt = 0.05; ");
    const std::string sides =
        GENERATE("boundary = periodic", "boundary = zero", "boundary = insulated", "x: zero; y: periodic");
    INFO(equations << sides);
    const Equations e = read_equations(equations + sides);
    require_near_cpu<T>(e, program_of<T>(e));
}
