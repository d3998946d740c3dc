// The ladder: kernels to learn from.
#include "sim/user_kernel/ladder.h"

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/kernel_trial/ladder_bench.h"
#include "sim/kernel_trial/trial.h"
#include "sim/user_kernel/occupancy.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace stencil::user_kernel;

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

TEST_CASE(
    "A row of the ladder has its gain over the rung before, and further shapes are compared with that too") {
    Machine machine = query_machine();
    machine.cuda.devices.clear();
    SuiteSpec spec;
    spec.sizes = {{64, 64}, {128, 128}};
    LadderBench bench(ladder_spec(spec, machine), machine, 10);
    const auto add = [&](const std::string& name, bool is_variant, double gcells, int steps) {
        TrialReport trial;
        trial.usage.registers = 32;
        trial.compute_capability = 90;
        trial.steps_fused = steps;
        for (const Size size : spec.sizes) {
            SuiteRow row;
            row.size = size;
            row.speed.gcells_per_s = gcells * size.nx;
            trial.rows.push_back(row);
        }
        bench.add({name, "", "// stencilscope: block 64x4\n", is_variant}, trial);
    };
    add("1", false, 1, 1);
    add("2", false, 3, 1);
    add("3", false, 6, 1);
    add("3 8x8", true, 2, 1);
    add("4", false, 9, 4);
    const LadderReport& report = bench.report();
    REQUIRE(report.rows.size() == 10);
    std::vector<double> gains;
    for (const LadderRow& row : report.rows) gains.push_back(row.gain);
    CHECK(gains == std::vector<double>{0, 0, 3, 3, 2, 2, 2 / 3.0, 2 / 3.0, 1.5, 1.5});
    CHECK(report.rows[0].occupancy->warps == 64);
    const auto json = to_json(report).at("rows");
    CHECK(json[3].at("gain") == 3.0);
    CHECK(json[0].at("gain").is_null());
    CHECK(json[9].at("steps_fused") == 4);
    CHECK(contains(row_text(report, report.rows[4]), " 2.00 "));
}

TEST_CASE("bench --ladder refuses what is not its own, and without a GPU checks rungs and counts accesses") {
    for (const std::string other :
         {"--method tiled", "--sweep", "--model gray-scott", "--save", "--work-precision"}) {
        INFO(other);
        require_refused(stencilscope("bench --ladder " + other), 2, "--ladder");
    }
    if (!equation::why_no_nvrtc().empty() || !query_cuda().devices.empty()) return;
    const ScratchFolder scratch;
    const ProgramResult result = stencilscope("bench --ladder --out {}", scratch / "out");
    require_done(result);
    CHECK(contains(result.out, "cannot be timed here"));
    const auto rows = read_json(scratch / "out/ladder.json").at("rows");
    REQUIRE(rows.size() == ladder().size() + 2);  // two further shapes
    // Cells that a cell and step loads, as docs/tutorials/ladder.md counts them (a 16-byte load is four).
    const double loads[] = {5, 5, 1.16, 1.31, 1.5, 1.28, 1.52, 1.52, 0.34, 0.57};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        INFO(rows[i].at("kernel"));
        CHECK(rows[i].at("right_on_sizes") == 7);
        CHECK(std::abs(double(rows[i].at("loads_per_cell")) - loads[i]) < 0.08);
    }
    CHECK(rows[0].at("sectors_over_needed") > 7);  // 32 sectors where 4 would do
    CHECK(rows[1].at("sectors_over_needed") < 1.2);
    CHECK(rows[2].at("bank_passes_over_needed") == 1.0);
    CHECK(rows[4].at("kernel") == "3_shared_tile 8x8");
    CHECK(rows[4].at("bank_passes_over_needed") > 1.5);  // two lanes in one bank
    for (const auto& row : rows) {
        const std::string name = row.at("kernel");
        CHECK(contains(result.out, name + " "));
        CHECK(row.at("gcells_per_s").is_null());
        CHECK(row.at("registers") > 8);
        CHECK(row.at("occupancy") > 0.2);
    }
    CHECK(std::filesystem::exists(scratch / "out/ladder.csv"));
    CHECK_FALSE(std::filesystem::exists(scratch / "out/ladder.png"));
}
