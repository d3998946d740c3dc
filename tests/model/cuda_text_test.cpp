// The text of CUDA kernels, run on the CPU cell by cell; that a GPU rounds the same is tested elsewhere.
#include "kernels/equation/text/cuda_text.h"

#include <fmt/format.h>

#include <numeric>

#include "kernels/cpu/subnormals.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/global_values.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/field/divide.h"
#include "sim/machine/kernel_cache.h"
#include "tests/model/generated_text.h"
#include "tests/support/fields.h"

using namespace stencil::equation;

namespace {

// Runs a kernel's threads one after the other.
constexpr const char* kEveryThread = R"(
extern "C" void run_{kernel}(const Arguments* a, int blocks_x, int blocks_y) {{
    for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < blocks_x; ++blockIdx.x)
            for (threadIdx.y = 0; threadIdx.y < kThreadsY; ++threadIdx.y)
                for (threadIdx.x = 0; threadIdx.x < kThreadsX; ++threadIdx.x) {kernel}(*a);
}}
)";

// Runs the blocks of several runs one after the other, with a fiber per thread (warp_emulation.h).
constexpr const char* kRunsRunner = R"(
static const Arguments* all_runs;
static long long its_step, its_values;
)";
constexpr const char* kEveryRun = R"(
extern "C" void run_{kernel}(const Arguments* runs, long long step, long long values, int count, int blocks_x, int blocks_y) {{
    all_runs = runs;
    its_step = step;
    its_values = values;
    emulated::body = [] {{ {kernel}(all_runs, its_step, its_values); }};
    for (blockIdx.z = 0; blockIdx.z < count; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < blocks_x; ++blockIdx.x)
                emulated::run_blocks(1, kThreadsY, 0, 1, [](int, int lane, int warp) {{
                    threadIdx.x = lane;
                    threadIdx.y = warp;
                }});
}}
)";

class Kernels {
  public:
    Kernels(const std::string& text, const Program& program) : code_(text + runners(program)) {}

    void run(const std::string& kernel, const void* argument, int blocks_x, int blocks_y) const {
        const auto function = code_.find<void (*)(const void*, int, int)>("run_" + kernel);
        const SubnormalsAsZero as_compiled_for_cuda(code_.is_float32());
        function(argument, blocks_x, blocks_y);
    }

  private:
    static std::string runners(const Program& program) {
        std::string text;
        const auto add = [&](const char* name, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                text += fmt::format(kEveryThread, fmt::arg("kernel", name + std::to_string(i)));
        };
        add("once", program.once.size());
        add("stage", program.stages.size());
        return text;
    }

    TextOnCpu code_;
};

// Like run_typed(), but by the generated kernels.
template <class T>
std::vector<T> run_text(const Equations& e,
                        const Program& program,
                        const Kernels& kernels,
                        const TypedRun& run) {
    const EquationSetup setup = setup_of(e, run);
    InputValues<T> inputs(program);
    const CudaBlock block = cuda_block(program, sizeof(T) == 8);
    const int blocks_x = ceil_div(run.nx, block.width()), blocks_y = ceil_div(run.ny, block.height());
    TextArrays<T> arrays(program, run);
    KernelArguments<T> arguments(program, setup, arrays.pitch);
    std::vector<T> lines(arguments.line_values() + 1);
    arguments.set_lines(lines.data());
    ThreadPool pool(1);
    GlobalValues<T> globals(program.globals, setup, pool);
    arguments.set_globals(globals.data());
    for (long long step = 0; step < run.steps; ++step) {
        inputs.update(setup, step, double(step) * setup.dt, step == 0);
        arguments.pack_lines(inputs, lines.data());
        arguments.set_uniforms(inputs.uniforms());
        arguments.set_arrays(arrays.arrays);
        arguments.set_step(step);
        const auto run_stages = [&](const char* name, const std::vector<Stage>& stages) {
            for (std::size_t i = 0; i < stages.size(); ++i) {
                kernels.run(name + std::to_string(i), arguments.data(), blocks_x, blocks_y);
                for (const Reduction& r : stages[i].reductions)
                    globals.reduce(
                        r,
                        FieldView<const T>{
                            arrays.arrays[std::size_t(r.array)], run.nx, run.ny, int(arrays.pitch)});
                if (stages[i].reductions.empty()) continue;
                inputs.update_globals(setup, step, double(step) * setup.dt, globals.exact());
                arguments.pack_lines(inputs, lines.data());
            }
        };
        if (step == 0) run_stages("once", program.once);
        run_stages("stage", program.stages);
        for (std::size_t c = 0; c < program.next.size(); ++c)
            std::swap(arrays.arrays[c], arrays.arrays[std::size_t(program.next[c])]);
    }
    std::vector<int> components(std::size_t(program.components));
    std::iota(components.begin(), components.end(), 0);
    return arrays.cells(components);
}

}  // namespace

TEST_CASE("The text of the CUDA kernels has the bits of the CPU's rows") {
    const std::string text = GENERATE(from_range(kTexts));
    INFO(text);
    const auto check = [&]<class T>(T) {
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const Kernels kernels(cuda_text(program, sizeof(T) == 8), program);
        // Larger than a block in both directions with partial vectors and rows, and tiny fields.
        for (const auto& [nx, ny] : {std::pair(139, 19), {37, 9}, {1, 3}, {3, 1}}) {
            INFO(nx << "x" << ny);
            const TypedRun run{.nx = nx, .ny = ny, .steps = 3, .under_way = true};
            CHECK(same_bits(run_text<T>(e, program, kernels, run), run_typed<T>(text, run)));
        }
    };
    check(float());
    check(double());
}

TEST_CASE(
    "Kernels of several runs have the bits of each, from inputs of several steps that were sent together") {
    const std::string text =
        "du/dt = lap(u) + p*random*u + cos(x)*sin(t); left: u = cos(t); right: flux(u) = y; y: insulated; p "
        "= 0.3; "
        "dt = 0.05; stepper = heun";
    const Equations e = read_equations(text);
    const Program program = program_of<float>(e);
    std::string runners = kRunsRunner;
    for (std::size_t i = 0; i < program.stages.size(); ++i)
        runners += fmt::format(kEveryRun, fmt::arg("kernel", "stage" + std::to_string(i)));
    const TextOnCpu code(
        "#define __shared__ static\n" + cuda_text(program, false, CudaForm::of_runs) + runners,
        warp_emulation());
    const CudaBlock block = cuda_block(program, false);
    std::vector<TypedRun> runs;
    for (const std::uint64_t seed : {5, 6}) runs.push_back({.nx = 37, .ny = 5, .steps = 2, .seed = seed});
    struct Run {
        TextArrays<float> arrays;
        KernelArguments<float> arguments;
        std::vector<float> lines = {};
    };
    std::vector<std::unique_ptr<Run>> all;
    std::size_t values = 0;
    for (const TypedRun& run : runs) {
        const EquationSetup setup = setup_of(e, run);
        TextArrays<float> arrays(program, run);
        const int pitch = arrays.pitch;
        all.push_back(
            std::make_unique<Run>(Run{std::move(arrays), KernelArguments<float>(program, setup, pitch)}));
        Run& own = *all.back();
        InputValues<float> inputs(program);
        values = own.arguments.line_values() + program.uniforms.outputs.size();
        own.lines.resize(values * std::size_t(run.steps) + 1);
        for (long long step = 0; step < run.steps; ++step) {
            inputs.update(setup, step, double(step) * setup.dt, step == 0);
            float* to = &own.lines[std::size_t(step) * values];
            own.arguments.pack_lines(inputs, to);
            std::ranges::copy(inputs.uniforms(), to + own.arguments.line_values());
        }
        own.arguments.set_lines(own.lines.data());
    }
    const std::size_t words = KernelArguments<float>::bytes(program) / sizeof(std::uint64_t);
    for (int step = 0; step < 2; ++step) {
        std::vector<std::uint64_t> table(all.size() * words);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i]->arguments.set_arrays(all[i]->arrays.arrays);
            std::memcpy(&table[i * words], all[i]->arguments.data(), words * sizeof(std::uint64_t));
        }
        for (std::size_t i = 0; i < program.stages.size(); ++i) {
            const SubnormalsAsZero as_compiled_for_cuda(true);
            code.find<void (*)(const void*, long long, long long, int, int, int)>(
                "run_stage" + std::to_string(i))(table.data(),
                                                 step,
                                                 step * (long long)values,
                                                 int(all.size()),
                                                 ceil_div(37, block.width()),
                                                 ceil_div(5, block.height()));
        }
        for (const auto& run : all)
            for (std::size_t c = 0; c < program.next.size(); ++c)
                std::swap(run->arrays.arrays[c], run->arrays.arrays[std::size_t(program.next[c])]);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(same_bits(all[i]->arrays.cells({0}), run_typed<float>(text, runs[i])));
}

TEST_CASE("Texts are compiled and kept where there is a run-time compiler, and where not one line says so") {
    const OwnCache scratch;
    const Equations e = read_equations("du/dt = lap(u); left: u = 1; right: flux(u) = 0; y: insulated");
    const std::string text = cuda_text(program_of<float>(e), false);
    if (!why_no_nvrtc().empty()) {
        const std::string why = message_of<CudaError>([&] { compiled_kernels(text, {90}); });
        CHECK(why == why_no_nvrtc());
        CHECK(why.find('\n') == std::string::npos);
        CHECK(scratch.entries() == 0);
        return;
    }
    const std::string cubin = compiled_kernels(text, {90});
    CHECK(cubin.starts_with("\177ELF"));
    CHECK(compiled_kernels(text, {90}) == cubin);
    CHECK(compiled_kernels(text, {80}) != cubin);
    const auto folder = scratch / "stencilscope/kernels";
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    CHECK(contains(message_of<CudaError>([&] { compile_cuda(text, {10}); }), "rchitecture"));
    // For a GPU newer than the compiler, PTX is made, which the driver compiles.
    CHECK(contains(compile_cuda(text, {9990}).cubin, ".entry stage0"));
    CHECK(contains(message_of<CudaError>([&] { compile_cuda("__global__ void f() { g(); }", {90}); }),
                   "\"g\""));
}

TEST_CASE("Lines of a kernel have any length") {
    std::string text = "before ";
    append(text, "%s %d", std::string(5000, 'x').c_str(), 7);
    CHECK(text == "before " + std::string(5000, 'x') + " 7");
}
