// The ladder: kernels to learn from.
#include "sim/user_kernel/ladder.h"

#include <algorithm>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/kernel_trial/trial.h"
#include "sim/user_kernel/occupancy.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

using namespace stencil;
using namespace stencil::user_kernel;
using namespace stencil_test;

namespace {

constexpr int kGenerations[] = {75, 80, 86, 89, 90, 100, 120};

LaunchShape shape_of(const Rung& rung) {
    return read_launch_shape(rung.text, std::string(rung.name));
}

bool is_known(int capability) {
    return capability < 100 || equation::nvrtc_version() >= 12080;
}

}  // namespace

TEST_CASE("The ladder has eight rungs of at most 120 lines, and each has a head of the same parts") {
    REQUIRE(ladder().size() == 8);
    for (std::size_t i = 0; i < ladder().size(); ++i) {
        const Rung& rung = ladder()[i];
        INFO(rung.name);
        const std::string number = std::to_string(i + 1);
        CHECK(rung.name.starts_with(number + "_"));
        CHECK(rung.text.starts_with("// Rung " + number + " of 8: " + rung.title + "\n"));
        CHECK(std::ranges::count(rung.text, '\n') <= 120);
        CHECK_FALSE(rung.idea.empty());
        CHECK_FALSE(rung.expect.empty());
        CHECK_FALSE(rung.limit.empty());
        const std::size_t exercises = rung.text.find("// Exercises\n//   1. ");
        REQUIRE(exercises != std::string_view::npos);
        CHECK(rung.text.find("//   2. ", exercises) != std::string_view::npos);
        CHECK(rung.text.find("bench --kernel " + std::string(rung.name) + ".cu") != std::string_view::npos);
        CHECK(shape_of(rung).fused == (i >= 6));
    }
    CHECK(ladder()[2].title == "a tile in shared memory");
    CHECK(ladder()[2].expect.ends_with("banks 0 to 5 again."));
    CHECK_FALSE(contains(ladder()[2].expect, "64 x 16   1024"));
}

TEST_CASE("Every rung compiles without spills for each generation of GPUs, and its blocks fit there") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    for (const Rung& rung : ladder())
        for (const int capability : kGenerations) {
            if (!is_known(capability)) continue;
            INFO(rung.name << " for " << capability);
            const LaunchShape shape = shape_of(rung);
            const Compiled made = compile(
                entry_of(RunSpec()), shape, std::string(rung.text), std::string(rung.name), capability);
            CHECK(made.usage.spill_bytes == 0);
            CHECK(made.usage.local_bytes == 0);
            const auto occupancy = occupancy_of(made.usage, shape, capability);
            REQUIRE(occupancy);
            CHECK(occupancy->blocks >= 1);
        }
}

TEST_CASE("The fair tile has further shapes, and names of earlier versions find a rung") {
    using Blocks = std::vector<std::pair<int, int>>;
    CHECK(shape_of(ladder()[2]).also == Blocks{{32, 8}, {8, 8}});
    CHECK(find_rung("3_shared_tile.cu") == &ladder()[2]);
    CHECK(find_rung("tutorial.cu") == &ladder()[0]);
    CHECK(find_rung("naive") == &ladder()[1]);
    CHECK(find_rung("tiled.cu") == &ladder()[2]);
    CHECK(find_rung("mine.cu") == nullptr);
    CHECK(find_rung("../tiled.cu") == nullptr);
    CHECK(kernel_text("tiled.cu") == ladder()[2].text);
    require_refused(stencilscope("bench --kernel mine.cu"), 2, "mine.cu");
    for (const std::string wrong : {"also 32", "also 64x32", "also"}) {
        INFO(wrong);
        CHECK_THROWS(read_launch_shape("// stencilscope: " + wrong, "heat.cu"));
    }
}

TEST_CASE("What a rung changes against the one before are the lines that are new in its code") {
    const auto changed = code_lines(ladder()[1], &ladder()[0]);
    std::vector<std::string_view> added;
    for (const CodeLine& line : changed)
        if (line.is_new) added.push_back(line.text);
    REQUIRE(added.size() == 2);
    CHECK(contains(std::string(added[0]), "launch::tile_x + threadIdx.x;"));
    CHECK(contains(std::string(added[1]), "launch::tile_y + threadIdx.y;"));
    const auto first = code_lines(ladder()[0], nullptr);
    CHECK(std::ranges::none_of(first, &CodeLine::is_new));
    CHECK(contains(std::string(first.front().text), "The value at (x, y)"));
}

TEST_CASE("Occupancy is told with what limits it, for each generation of GPUs") {
    const auto of = [](int registers, int shared, int threads, int capability) {
        LaunchShape shape;
        shape.block_x = threads;
        shape.block_y = 1;
        return *occupancy_of({registers, 0, 0, shared}, shape, capability);
    };
    // Figures of NVIDIA's occupancy calculator.
    CHECK(of(32, 0, 256, 90).warps == 64);
    CHECK(of(64, 0, 256, 90).warps == 32);
    CHECK(of(64, 0, 256, 90).limited_by == "registers");
    CHECK(of(33, 0, 256, 90).warps == 48);
    CHECK(of(16, 0, 1024, 86).warps == 32);
    CHECK(of(16, 0, 1024, 86).limited_by == "threads");
    CHECK(of(16, 48 << 10, 256, 86).blocks == 2);
    CHECK(of(16, 48 << 10, 256, 86).limited_by == "shared memory");
    CHECK(of(16, 0, 32, 75).blocks == 16);
    CHECK(of(16, 0, 32, 75).limited_by == "blocks");
    CHECK(of(16, 0, 32, 75).share() == 0.5);
    CHECK_FALSE(occupancy_of({16}, LaunchShape(), 12));
}
