// Runs the text of resident kernels on the CPU with a fiber per thread of all blocks (warp_emulation.h), and
// tests how a field is divided into tiles.
#include "kernels/equation/resident/resident_text.h"

#include "kernels/cpu/subnormals.h"
#include "kernels/equation/block/block_text.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/field/divide.h"
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
    emulated::body = [] { resident(*arguments, *plan_of_launch); };
    emulated::run_blocks(plan->tiles_x * plan->tiles_y, warps, bytes, seed, [](int block, int lane, int warp) {
        blockIdx.x = block;
        threadIdx.x = 32 * warp + lane;
    });
}
)";

std::string resident_on_fibers(std::string text) {
    const std::string words = kPatchInstructions;
    text.replace(text.find(words), words.size(), "");
    return text + kResidentRunner;
}

constexpr unsigned kEpoch = 0xffffffff;  // number of earlier exchanges; it wraps around next

/// Returns the components after a launch of run.steps steps.
template <class T>
std::vector<T> run_resident(const Equations& e,
                            const FusedProgram& fused,
                            const TextOnCpu& code,
                            const ResidentShape& shape,
                            const TypedRun& run) {
    const TextArguments<T> arguments(e, fused, run, int(run.steps));
    std::vector<T> post(2 * std::size_t(fused.program.components * arguments.pitch() * run.ny));
    std::vector<unsigned> flags(std::size_t(shape.tiles_x * shape.tiles_y * kResidentFlag), kEpoch);
    const arguments::PlanOf<T> launch{post.data(),
                                      flags.data(),
                                      fused.of_time ? (long long)arguments.values() : 0,
                                      shape.tiles_x,
                                      shape.tiles_y,
                                      shape.together,
                                      int(run.steps),
                                      kEpoch};
    {
        const SubnormalsAsZero as_compiled_for_cuda(sizeof(T) == 4);
        code.find<void (*)(const void*, const void*, int, unsigned long, unsigned)>("run_resident")(
            arguments.data(),
            &launch,
            shape.patches.threads / 32,
            std::size_t(shape.patches.shared_bytes),
            unsigned(run.steps));
    }
    const unsigned exchanges = (launch.steps + launch.together - 1) / launch.together - 1;
    for (std::size_t block = 0; block < flags.size(); block += kResidentFlag)
        CHECK(flags[block] == kEpoch + exchanges);
    return arguments.cells();
}

}  // namespace

namespace {

/// Tiles whose patches hold the halo of so many steps.
struct Division {
    int columns, rows, tiles_x, tiles_y, together;
};

ResidentShape shape_of(const FusedProgram& program, bool float64, FieldCells size, const Division& by) {
    const int halo = by.together * int(program.stages.size());
    const int packs = ceil_div(ceil_div(size.nx, by.columns), by.tiles_x) + 2 * ceil_div(halo, by.columns);
    const PatchShape patches =
        PatchNeeds(program, float64, {}, 0)
            .shape(by.columns, by.rows, packs * by.columns, ceil_div(size.ny, by.tiles_y) + 2 * halo);
    const WholePatches whole{size.nx % by.columns == 0, by.tiles_y > 1 || size.ny % by.rows == 0};
    return {patches, whole, by.tiles_x, by.tiles_y, by.together, 0};
}

}  // namespace

TEST_CASE("Resident kernels have the bits of the CPU's rows, whatever their blocks wait for") {
    const std::string text = GENERATE(from_range(kFiniteTexts),
                                      "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + 0.01*x*u*v^2 - 0.01*y*v; "
                                      "dt = 0.1; boundary = periodic; stepper = rk4");
    INFO(text);
    const auto check = [&]<class T>(T, FieldCells size, const Division& by, long long steps) {
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        const TypedRun run{.nx = size.nx, .ny = size.ny, .steps = steps, .under_way = true};
        const ResidentShape shape = shape_of(fused, sizeof(T) == 8, size, by);
        REQUIRE(shape.patches.threads > 0);
        INFO(name_of(shape) << ", " << shape.tiles_x << "x" << shape.tiles_y << " tiles");
        const TextOnCpu code(resident_on_fibers(resident_text(fused, sizeof(T) == 8, shape)),
                             warp_emulation());
        const auto expected = run_typed<T>(text, run);
        REQUIRE(std::isfinite(largest(std::vector<double>(expected.begin(), expected.end()))));
        CHECK(same_bits(run_resident<T>(e, fused, code, shape, run), expected));
    };
    // Rows without padding, whose last pack is cut off; an odd periodic row. Compiling takes most of the
    // time, so that every second text has the latter.
    check(float(), {64, 38}, {6, 8, 3, 2, 1}, 5);
    if (text.size() % 2 == 0)
        check(float(), {45, 35}, {4, 6, 1, 1, 2}, 7);
    else
        check(double(), {52, 37}, {2, 5, 2, 3, 2}, 5);
}

TEST_CASE("The shape of a resident kernel expects as many clocks as a GPU takes for its instructions") {
    const auto clocks = []<class T>(T, const GpuFacts& gpu) {
        const Equations e = read_equations("du/dt = lap(u) - u^3; dt = 0.1");
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        return resident_shapes(fused, sizeof(T) == 8, {500, 500}, gpu).all.at(0).clocks_per_step;
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

TEST_CASE("A field of any size is divided, or it is said why not") {
    const Program program =
        program_of<float>(read_equations("du/dt = lap(u); dt = 0.1; boundary = periodic"));
    const FusedProgram fused(program);
    for (const FieldCells size :
         {FieldCells{1 << 30, 1}, {1, 1 << 30}, {32, 1 << 27}, {1, 1}, {40000, 30000}}) {
        const ResidentShapes shapes = resident_shapes(fused, false, size, {});
        CHECK(shapes.all.empty() != shapes.why_none.empty());
        CHECK(block_shapes(fused, false, size, {}).empty() == (size.nx > 1 || size.ny > 1));
    }
}

TEST_CASE("Tiles of a resident kernel have all cells of a field, on every known GPU") {
    for (const KnownGpu& gpu : known_gpus())
        for (const FieldCells size : {FieldCells{128, 128}, {512, 512}, {1000, 800}}) {
            INFO(gpu.name << ", " << size.nx << "x" << size.ny);
            const Program program =
                program_of<float>(read_equations("du/dt = lap(u) - u*v; dv/dt = u*v; boundary = periodic"));
            for (const ResidentShape& shape :
                 resident_shapes(FusedProgram(program), false, size, gpu.facts).all) {
                INFO(name_of(shape) << ", " << shape.tiles_x << "x" << shape.tiles_y);
                CHECK(shape.tiles_x * shape.tiles_y <= gpu.facts.multiprocessors);
                CHECK(shape.patches.threads <= 1024);
                CHECK(shape.patches.shared_bytes <= gpu.facts.shared_per_block);
                const int halo = 2 * shape.together;
                CHECK((shape.patches.width() - halo) * shape.tiles_x >= size.nx);
                CHECK((shape.patches.height() - halo) * shape.tiles_y >= size.ny);
            }
        }
}

// LeakSanitizer crashes on NVRTC's threads, and none of our code is tested here.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("Some resident kernel of a model compiles without spilling registers, where there is a compiler") {
    if (!why_no_nvrtc().empty()) skip_without_gpu(why_no_nvrtc());
    std::size_t number = 0;
    for (const char* name : {"gray-scott", "cahn-hilliard", "swift-hohenberg"})
        for (const bool float64 : {false, true}) {
            INFO(name << (float64 ? ", float64" : ", float32"));
            const Equations e = read_equations(std::ranges::find(presets(), name, &Preset::name)->text);
            const Program program = make_program(e, e.integrator, float64, e.dt.value_or(0.1));
            const FusedProgram fused(program);
            const std::vector<ResidentShape> shapes = resident_shapes(fused, float64, {512, 512}, {}).all;
            // One after the other, since compiling takes a second.
            const int other = known_gpus()[number++ % known_gpus().size()].facts.capability;
            for (const int capability : {90, other}) {
                if (!nvrtc_compiles_for(capability)) continue;
                CHECK(std::ranges::any_of(shapes, [&](const ResidentShape& shape) {
                    const std::string text = resident_text(fused, float64, shape);
                    return contains(compile_cuda(text, {capability}).log, " 0 bytes spill stores");
                }));
            }
        }
}
#endif
