// Runs the text of resident kernels on the CPU with a fiber per thread of all blocks (warp_emulation.h), and
// tests how a field is divided into tiles.
#include "kernels/equation/resident/resident_text.h"

#include "kernels/cpu/subnormals.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/resident/resident_plan.h"
#include "kernels/equation/text/arguments.h"
#include "sim/model/model.h"
#include "tests/model/generated_text.h"

using namespace stencil::equation;

namespace {

constexpr const char* kResidentRunner = R"(
static const Arguments* arguments;
static const Plan* plan_of_launch;
extern "C" void run_resident(const Arguments* a, const Plan* plan, int warps, unsigned long bytes, unsigned seed) {
    arguments = a;
    plan_of_launch = plan;
    blockDim.x = 32 * warps;
    emulated::body = [] { resident(*arguments, *plan_of_launch); };
    emulated::run_blocks(plan->tiles_x * plan->tiles_y, warps, bytes, seed, [](int block, int lane, int warp) {
        blockIdx.x = block;
        threadIdx.x = 32 * warp + lane;
    });
}
)";

std::string resident_on_fibers(std::string text) {
    const std::string words = kResidentInstructions;
    text.replace(text.find(words), words.size(), "");
    return text + kResidentRunner;
}

constexpr unsigned kEpoch = 0xffffffff;  // number of earlier exchanges; it wraps around next

/// Returns the components after a launch of run.steps steps.
template <class T>
std::vector<T> run_resident(const Equations& e,
                            const FusedProgram& fused,
                            const TextOnCpu& code,
                            const ResidentPlan& plan,
                            const TypedRun& run) {
    const TextArguments<T> arguments(e, fused, run, int(run.steps));
    std::vector<T> post(2 * std::size_t(fused.program.components * arguments.pitch() * run.ny));
    std::vector<unsigned> flags(std::size_t(plan.tiles_x * plan.tiles_y * kResidentFlag), kEpoch);
    const arguments::PlanOf<T> launch{post.data(),
                                      flags.data(),
                                      fused.of_time ? (long long)arguments.values() : 0,
                                      plan.tiles_x,
                                      plan.tiles_y,
                                      plan.together,
                                      int(run.steps),
                                      plan.slot,
                                      kEpoch};
    {
        const SubnormalsAsZero as_compiled_for_cuda(sizeof(T) == 4);
        code.find<void (*)(const void*, const void*, int, unsigned long, unsigned)>("run_resident")(
            arguments.data(),
            &launch,
            plan.threads / 32,
            std::size_t(plan.shared_bytes),
            unsigned(run.steps));
    }
    const unsigned exchanges = (launch.steps + launch.together - 1) / launch.together - 1;
    for (std::size_t block = 0; block < flags.size(); block += kResidentFlag)
        CHECK(flags[block] == kEpoch + exchanges);
    return arguments.cells();
}

}  // namespace

TEST_CASE("Resident kernels have the bits of the CPU's rows, whatever their blocks wait for") {
    const std::string text = GENERATE(from_range(kFiniteTexts),
                                      "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + 0.01*x*u*v^2 - 0.01*y*v; "
                                      "dt = 0.1; boundary = periodic; stepper = rk4");
    INFO(text);
    const auto check = [&]<class T>(T, int nx, int ny, int rows, long long steps) {
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        const int slots = ResidentSlots(fused).count;
        TypedRun run{.nx = nx, .ny = ny, .steps = steps, .under_way = true};
        const ResidentShape shape{rows, 1024};
        const TextOnCpu code(resident_on_fibers(resident_text(fused, sizeof(T) == 8, shape)),
                             warp_emulation());
        const auto expected = run_typed<T>(text, run);
        REQUIRE(std::isfinite(largest(std::vector<double>(expected.begin(), expected.end()))));
        for (const int blocks : {6, 1}) {
            // Too little memory for one tile, unless there is one block.
            const int cells = blocks == 1 ? 4 * nx * ny + 2000 : nx * ny / 2 + 600;
            const GpuFacts gpu{90, blocks, cells * slots * int(sizeof(T))};
            ResidentPlan plan = resident_plan(fused, sizeof(T) == 8, shape, {nx, ny}, gpu);
            INFO(plan.why_not);
            REQUIRE(plan.slot > 0);
            REQUIRE((plan.tiles_x * plan.tiles_y > 3) == (blocks > 1));
            plan.threads = 64;
            INFO(plan.tiles_x << "x" << plan.tiles_y << " tiles, " << plan.together << " steps together");
            const auto cells_now = run_resident<T>(e, fused, code, plan, run);
            CHECK(same_bits(cells_now, expected));
        }
    };
    check(float(), 45, 38, 2, 11);
    check(double(), 52, 37, 4, 5);
}

TEST_CASE("A resident plan expects as many clocks as a GPU takes for its instructions") {
    const auto clocks = []<class T>(T, const GpuFacts& gpu) {
        const Equations e = read_equations("du/dt = lap(u) - u^3; dt = 0.1");
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        return resident_plan(fused, sizeof(T) == 8, {2, 1024}, {64, 64}, gpu).clocks_per_step;
    };
    GpuFacts gpu;
    const double float32 = clocks(float(), gpu), float64 = clocks(double(), gpu);
    REQUIRE(float32 > 0);
    CHECK(float64 > float32);
    gpu.float64_cost = 64;  // as on GPUs for graphics
    CHECK(clocks(float(), gpu) == float32);
    CHECK(clocks(double(), gpu) > 1.5 * float64);
    gpu.capability = 80;  // with half as many lanes
    CHECK(clocks(float(), gpu) > float32);
}

// LeakSanitizer crashes on NVRTC's threads, and none of our code is tested here.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("Resident kernels of models compile without spilling registers, where there is a compiler") {
    if (!why_no_nvrtc().empty()) skip_without_gpu(why_no_nvrtc());
    std::size_t number = 0;
    for (const char* name : {"gray-scott", "cahn-hilliard", "swift-hohenberg"})
        for (const bool float64 : {false, true}) {
            INFO(name << (float64 ? ", float64" : ", float32"));
            const Equations e = read_equations(std::ranges::find(presets(), name, &Preset::name)->text);
            const Program program = make_program(e, e.integrator, float64, e.dt.value_or(0.1));
            const FusedProgram fused(program);
            for (const ResidentShape& shape : resident_shapes(fused, float64)) {
                const std::string text = resident_text(fused, float64, shape);
                // One after the other, since compiling takes a second.
                const int other = known_gpus()[number++ % known_gpus().size()].facts.capability;
                for (const int capability : {90, other}) {
                    if (!nvrtc_compiles_for(capability)) continue;
                    const Compiled compiled = compile_cuda(text, {capability});
                    INFO(capability << ": " << compiled.log);
                    CHECK(contains(compiled.log, " 0 bytes spill stores"));
                }
            }
        }
}
#endif
