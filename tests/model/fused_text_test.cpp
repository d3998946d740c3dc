// Runs fused kernels on the CPU with a fiber per thread (warp_emulation.h), and tests the plan of a pass.
#include "kernels/equation/fused/fused_text.h"

#include <future>

#include "kernels/cpu/subnormals.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/methods/streaming/stream_tiles.h"
#include "sim/model/model.h"
#include "tests/model/generated_text.h"

using namespace stencil::equation;

namespace {

constexpr const char* kRunner = R"(
static const Arguments* arguments;
static const Cut* cut_of_pass;
extern "C" void run_fused(const Arguments* a, const Cut* cut, int blocks, int warps, unsigned long bytes, unsigned seed) {
    arguments = a;
    cut_of_pass = cut;
    blockDim.y = warps;
    emulated::body = [] { fused(*arguments, *cut_of_pass); };
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        emulated::run_blocks(1, warps, bytes, seed + blockIdx.x, [](int, int lane, int warp) {
            threadIdx.x = lane;
            threadIdx.y = warp;
        });
}
)";

// Returns the components after a pass, which makes as many steps as there are `warps`, from run.start.
template <class T>
std::vector<T> run_fused(const Equations& e,
                         const FusedProgram& fused,
                         const FusedShape& shape,
                         const TextOnCpu& code,
                         int warps,
                         const TypedRun& run) {
    const int levels = warps * shape.steps * int(fused.stages.size());
    const TextArguments<T> arguments(e, fused, run, warps * shape.steps);
    const auto tiles = stream_tiles({run.nx,
                                     run.ny,
                                     fused.wraps_x,
                                     shape.width(),
                                     levels,
                                     int(16 / sizeof(T)),
                                     7,
                                     2 * levels + warps * (2 * levels / warps - 1)});
    std::vector<std::uint64_t> cut(2 + std::size_t(cuda_lines(fused.program).count) + 1);
    cut[0] = reinterpret_cast<std::uintptr_t>(tiles.data());
    cut[1] = fused.of_time ? arguments.values() : 0;
    const std::vector<T> sides = arguments.sides();
    if (!sides.empty()) std::memcpy(&cut[2], sides.data(), sides.size() * sizeof(T));

    const SubnormalsAsZero as_compiled_for_cuda(sizeof(T) == 4);
    code.find<void (*)(const void*, const void*, int, int, unsigned long, unsigned)>("run_fused")(
        arguments.data(),
        cut.data(),
        int(tiles.size()),
        warps,
        std::size_t(fused_shared_bytes(fused, sizeof(T) == 8, shape, warps)),
        unsigned(run.seed));
    return arguments.cells();
}

}  // namespace

TEST_CASE("Fused kernels have the bits of the CPU's rows, whatever their warps wait for") {
    const std::string text = GENERATE(from_range(kFiniteTexts));
    INFO(text);
    const auto check = [&]<class T>(T, int steps, int columns, int batch, int rest, bool lanes_copy) {
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        TypedRun run;
        run.under_way = true;
        // Several strips and segments; partial vectors make wrapped rows load cell by cell.
        run.nx = 32 * columns + rest;
        run.ny = 69;
        const FusedShape shape{steps, columns, 4, batch, rest % 4 == 0};
        const TextOnCpu code(fused_text(fused, sizeof(T) == 8, shape) + kRunner,
                             (lanes_copy ? "#define EMULATED_LANES_COPY\n" : "") + warp_emulation());
        for (const int warps : {4, 1}) {
            run.steps = steps * warps;
            INFO(steps << " steps, " << columns << " columns, " << warps << " warps");
            const auto expected = run_typed<T>(text, run);
            const auto cells = run_fused<T>(e, fused, shape, code, warps, run);
            CHECK(same_bits(cells, expected));
        }
    };
    // Compiling takes most of the time, so that every second text has whole vectors.
    if (text.size() % 2 == 0)
        check(float(), 1, 4, 2, 36, true);
    else
        check(float(), 1, 4, 4, 37, false);
    check(double(), 2, 3, 2, 37, text.size() % 4 < 2);
}

TEST_CASE("Fused kernels take no more shared memory than a GPU has") {
    const Equations e =
        read_equations("du/dt = lap(u) - u*v; dv/dt = lap(v) + u*v; dt = 0.1; boundary = periodic");
    const Program whole = program_of<double>(e);
    const FusedProgram program(whole);
    CHECK_FALSE(fused_shapes(program, true, {1 << 28, 200}, {}).empty());  // at once, however wide
    for (const KnownGpu& gpu : known_gpus()) {
        INFO(gpu.name);
        const auto shapes = fused_shapes(program, true, {8192, 8192}, gpu.facts);
        CHECK_FALSE(shapes.empty());
        for (const FusedShape& shape : shapes) {
            const int bytes = fused_shared_bytes(program, true, shape, shape.warps);
            CHECK(bytes <= gpu.facts.shared_per_block);
            CHECK((bytes + gpu.facts.reserved_per_block()) * shape.blocks() <=
                  gpu.facts.shared_per_multiprocessor);
        }
    }
}

TEST_CASE("Where no kernel makes several steps, one line says why") {
    const auto why = [](const char* text, FieldCells size, const GpuFacts& gpu) {
        const Equations e = read_equations(text);
        const Program program = program_of<float>(e);
        return kernel_shapes(FusedProgram(program), false, size, gpu).why_none;
    };
    constexpr FieldCells kLarge{8192, 8192};
    const char* const plain = "du/dt = lap(u); dt = 0.1; boundary = periodic";
    for (const KnownGpu& gpu : known_gpus()) CHECK(why(plain, kLarge, gpu.facts) == "");
    CHECK(why("du/dt = lap(u) - mean(u); dt = 0.1", kLarge, {}) ==
          "values of the whole field depend on all cells");
    CHECK(why("du/dt = lap(u); stepper = ab2; dt = 0.1", kLarge, {}) ==
          "the integrator keeps more than the components");
    Program mixed = program_of<float>(read_equations("du/dt = lap(u); dv/dt = lap(v); boundary = periodic"));
    mixed.arrays.front().ghosts[0].periodic = mixed.arrays.front().ghosts[1].periodic = false;
    CHECK(why_single_steps(mixed) == "along an axis some arrays are periodic and others are not");
    CHECK(contains(why(plain, {50, 1 << 20}, {}), "fused: the field is smaller than a strip of 64 columns"));
    CHECK(contains(why(plain, {50, 1 << 20}, {}), "; resident: the field takes "));
    GpuFacts small = known_gpu(75).facts;
    small.shared_per_block = small.shared_per_multiprocessor = 4096;
    CHECK(contains(why(plain, kLarge, small), "more than the 4 KB of shared memory"));
    small.cooperative = false;
    CHECK(contains(why(plain, kLarge, small), "no cooperative launches"));
}

// LeakSanitizer crashes on NVRTC's threads, and none of our code is tested here.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("Fused kernels of models compile for every known GPU without spilling registers") {
    if (!why_no_nvrtc().empty()) skip_without_gpu(why_no_nvrtc());
    for (const char* name : {"gray-scott", "cahn-hilliard"})
        for (const KnownGpu& gpu : known_gpus()) {
            if (!nvrtc_compiles_for(gpu.facts.capability)) continue;
            const Equations e = read_equations(std::ranges::find(presets(), name, &Preset::name)->text);
            const Program program = make_program(e, e.integrator, false, e.dt.value_or(0.1));
            const FusedProgram fused(program);
            const auto shapes = fused_shapes(fused, false, {4096, 4096}, gpu.facts);
            REQUIRE_FALSE(shapes.empty());
            const Compiled compiled =
                compile_cuda(fused_text(fused, false, shapes.front()), {gpu.facts.capability});
            INFO(name << " on " << gpu.name << ", " << name_of(shapes.front()) << ": " << compiled.log);
            CHECK(contains(compiled.log, " 0 bytes spill stores"));
        }
}
#endif

TEST_CASE("Whoever leaves does not wait for kernels that are being compiled, and it is known that they are") {
    const Equations e = read_equations("du/dt = lap(u); dt = 0.1; boundary = periodic");
    const Program program = program_of<float>(e);
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future();
    {
        const auto waits = [ended](const std::string&) {
            ended.wait();
            return std::string("cubin");
        };
        const FusedCompiler compiler(program, false, {2000, 2000}, {}, KernelMaker{waits}, true);
        CHECK(compiler.working());
    }
    CHECK(FusedCompiler::any_abandoned());
    end.set_value();
    while (FusedCompiler::any_abandoned()) std::this_thread::yield();
    FusedCompiler compiler(
        program, false, {2000, 2000}, {}, KernelMaker{[](const std::string& text) { return text; }}, true);
    compiler.wait();
    CHECK(compiler.working());  // a result waits to be collected
    CHECK_FALSE(compiler.take().empty());
    CHECK_FALSE(compiler.working());
}
