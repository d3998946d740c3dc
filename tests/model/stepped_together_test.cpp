// Runs the text of batch kernels on the CPU with a fiber per thread of the block (warp_emulation.h).
#include "kernels/equation/block/block_text.h"

#include "kernels/cpu/subnormals.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "sim/model/model.h"
#include "tests/model/generated_text.h"

using namespace stencil::equation;

namespace {

constexpr const char* kBlockRunner = R"(
static const Arguments* arguments;
static int steps;
static long long values_of_step;
extern "C" void run_block(const Arguments* a, int made, long long values, int warps, unsigned long bytes, unsigned seed) {
    arguments = a;
    steps = made;
    values_of_step = values;
    emulated::body = [] { block(*arguments, steps, values_of_step); };
    emulated::run_blocks(1, warps, bytes, seed, [](int block, int lane, int warp) {
        blockIdx.x = block;
        threadIdx.x = 32 * warp + lane;
    });
}
)";

std::string block_on_fibers(std::string text) {
    const std::string words = kPatchInstructions;
    text.replace(text.find(words), words.size(), "");
    return text + kBlockRunner;
}

}  // namespace

TEST_CASE("A batch's kernels have the bits of the CPU's rows, whatever their threads wait for") {
    const std::string text = GENERATE(from_range(kFiniteTexts),
                                      "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + 0.01*x*u*v^2 - 0.01*y*v; "
                                      "dt = 0.1; boundary = periodic; stepper = rk4");
    INFO(text);
    // The most promising shape, or that of patches of so many columns.
    const auto check = [&]<class T>(T, int nx, int ny, long long steps, std::size_t which, int columns = 0) {
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        if (fused.wraps_x && columns > 0 && nx % columns != 0) return;
        const TypedRun run{.nx = nx, .ny = ny, .steps = steps, .under_way = true};
        const GpuFacts& gpu = known_gpu(90).facts;
        std::vector<BlockShape> shapes = block_shapes(fused, sizeof(T) == 8, {nx, ny}, gpu);
        if (columns > 0) shapes = {{PatchNeeds(fused, sizeof(T) == 8, gpu, 0).shape(columns, 4, nx, ny)}};
        REQUIRE_FALSE(shapes.empty());
        const BlockShape& shape = shapes[which % shapes.size()];
        INFO(name_of(shape) << ", " << nx << "x" << ny);
        const TextOnCpu code(block_on_fibers(block_text(fused, sizeof(T) == 8, {nx, ny}, shape, false)),
                             warp_emulation());
        const auto expected = run_typed<T>(text, run);
        const TextArguments<T> arguments(e, fused, run, int(steps));
        {
            const SubnormalsAsZero as_compiled_for_cuda(sizeof(T) == 4);
            code.find<void (*)(const void*, int, long long, int, unsigned long, unsigned)>("run_block")(
                arguments.data(),
                int(steps),
                fused.of_time ? (long long)arguments.values() : 0,
                shape.threads / 32,
                std::size_t(shape.shared_bytes),
                unsigned(steps));
        }
        CHECK(same_bits(arguments.cells(), expected));
    };
    // Compiling takes most of the time, so that each text has two of the first three.
    if (text.size() % 3 != 0) check(float(), 48, 24, 5, 0);
    if (text.size() % 3 != 1) check(float(), 40, 36, 3, 1);
    if (text.size() % 3 != 2) check(double(), 36, 20, 4, 0);
    check(float(), 32, 20, 3, 0, 6);  // rows without padding, whose last pack is cut off
}
