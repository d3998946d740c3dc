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
