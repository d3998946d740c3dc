// Fuzzes the comments that set a kernel's launch configuration.
#include "sim/user_kernel/entry.h"

#include <fmt/format.h>

#include "tests/fuzz/fuzz.h"

using namespace stencil;
using user_kernel::LaunchShape;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    LaunchShape shape;
    if (!accepted([&] { shape = user_kernel::read_launch_shape(input, "heat.cu"); })) return;
    const std::string text = fmt::format("// stencilscope: block {}x{}, tile {}x{}, shared {}{}\n",
                                         shape.block_x,
                                         shape.block_y,
                                         shape.tile_x,
                                         shape.tile_y,
                                         shape.shared_bytes,
                                         shape.fused ? fmt::format(", steps {}", shape.steps) : "");
    require(user_kernel::read_launch_shape(text, "heat.cu") == shape, "a shape stays what it is", text);
    require(shape.block_x * shape.block_y <= 1024, "a block has no more threads than a GPU takes", text);
}

std::vector<std::string> seeds() {
    return {"// stencilscope: block 32x8, tile 128x8, steps 4, shared 20480\n__global__ void steps();\n",
            "//stencilscope:tile 1x1048576\r\n \t// stencilscope: block 1024x1\n// stencilscope: steps 64",
            "int x; // stencilscope: block 0x0\n// block 8x8\n"};
}

const Target target("launch_shape", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
