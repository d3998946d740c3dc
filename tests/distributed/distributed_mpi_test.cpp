// A field distributed over processes gives the files of one process.

#include <algorithm>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/files/npy.h"
#include "tests/distributed/equal_runs.h"

using namespace stencil_test;
using stencil::query_cuda;
namespace fs = std::filesystem;

TEST_CASE("Any number of processes makes the files of one") {
    const std::string edits =
        " --at 40:coefficient=0.11 --at 70:paint=0.7,20,add,30,90 --at 70:paint=0.2,5,replace,3,1,60,200 ";
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        require_equal_runs(
            "--size 67x211 --initial noise --steps 133 --method cpu --boundary " + boundary + edits + kFiles,
            boundary == "zero" ? 3 : 2,
            boundary == "zero" ? 3 : 2);
    require_equal_runs(
        "--size 67x211 --initial noise --steps 50 --dtype float64 --method cpu" + edits + kFiles, 4, 4);
    require_equal_runs("--size 41x230 --initial noise --steps 40 --method reference" + edits + kFiles, 7, 7);
}

TEST_CASE(
    "Where there are too few rows fewer processes share them, and one has a field that cannot be shared") {
    const std::string few = "--export field.npy,laplacian.npy,field.png,timings.json";
    require_equal_runs("--size 40x70 --initial noise --steps 33 --method cpu " + few, 4, 2);
    require_equal_runs("--size 40x20 --initial noise --steps 33 --method cpu " + few, 3, 1);
    require_equal_runs("--size 64x128 --steps 20 --model cahn-hilliard --stepper imex " + few, 2, 1);
}

TEST_CASE("Typed equations are spread to the bit: places, noise, several stages, ghost cells of any kind") {
    const std::string shape =
        "--size 53x140 --steps 60 --export field.npy,laplacian.npy,field.png,timings.json ";
    require_equal_runs(shape + "--model gray-scott", 3, 3);
    require_equal_runs(shape + "--model cahn-hilliard --stepper euler", 2, 2);
    require_equal_runs(
        shape + "--model gray-scott --stepper rk4 --at 30:F=0.03 --at 31:paint-v=1,9,replace,20,70", 2, 2);
    const ScratchFolder folder;
    for (const std::string sides : {"boundary = periodic",
                                    "boundary = zero",
                                    "x: periodic; top: flux(u) = cos(x/5); bottom: u = 0.1*t",
                                    "left: u = sin(y/9); right: u + 2*flux(u) = cos(y); y: periodic"}) {
        const auto text = write_bytes(folder / "model.txt",
                                      "du/dt = div((1 + cos(x*y/300)) * grad(u)) + 0.1*normal + cos(y/9)/Ly\n"
                                      "u(0) = sin(x/7)*cos(y/11)\ndt = 0.01\n" +
                                          sides + "\n");
        require_equal_runs(shape + "--model " + text.string(), 3, 3);
    }
}

// They share the first GPU, unless there are several.
TEST_CASE("Processes on GPUs make the files of one") {
    if (query_cuda().devices.empty()) {
        SUCCEED("no GPU");
        return;
    }
    // Also at multiples of the halo's 16 steps, where rows sent to neighbours have become invalid.
    const std::string edits =
        " --at 41:coefficient=0.11 --at 64:paint=0.7,20,add,30,90 --at 80:boundary=insulated --at "
        "96:paint=0.2,5,replace,3,1,60,200 ";
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        for (const std::string method : {"streaming", "tiled --dtype float64"})
            require_equal_runs("--size 321x211 --initial noise --steps 157 --boundary " + boundary +
                                   " --method " + method + edits + kFiles,
                               boundary == "zero" ? 3 : 2,
                               boundary == "zero" ? 3 : 2,
                               "cuda");
    // Fewer rows than the fused steps need beside two cuts.
    const std::string few = " --export field.npy,laplacian.npy,field.png,timings.json";
    require_equal_runs("--size 400x75 --initial noise --steps 90 --method streaming" + few, 3, 3, "cuda");
    require_equal_runs("--size 130x300 --steps 200 --model gray-scott" + few, 2, 2, "cuda");
}

TEST_CASE("A run of three processes goes on by two, and by one") {
    require_same_when_cut("--size 45x150 --initial noise --boundary periodic", 90, 170);
}

TEST_CASE("A method, a size, a precision and a boundary that change in mid-run do so on all processes") {
    require_equal_runs(
        "--size 67x150 --initial noise --steps 120 --method cpu --at 30:boundary=periodic --at "
        "50:method=reference "
        "--at 60:dtype=float64 --at 80:size=50x170 --at 90:method=cpu --at 100:boundary=insulated" +
            kFiles,
        2,
        2);
}

TEST_CASE("What is wrong is said once, by one line, with the status of one process") {
    const auto refused = stencilscope("run --processes 3 --size 60x60 --boundary nowhere");
    REQUIRE(refused.status == 2);
    REQUIRE(refused.err.find("--boundary") != std::string::npos);
    REQUIRE(std::ranges::count(refused.err, '\n') == 1);
    REQUIRE(refused.out.empty());
    require_refused(stencilscope("run --processes none --size 60x60"), 2, "--processes");
}

TEST_CASE("A spread run without a folder steps, and says how many processes did") {
    const ScratchFolder folder;
    require_done(stencilscope("run --backend cpu --quiet --size 40x90 --steps 64 --processes 2 --json {}",
                              folder / "run.json"));
    const auto json = nlohmann::json::parse(read_bytes(folder / "run.json"));
    REQUIRE(json.at("processes") == 2);
    REQUIRE(json.at("steps") == 64);
}

TEST_CASE("bench --scale measures one and two processes, and finds the same bits") {
    const ScratchFolder folder;
    require_done(
        stencilscope("bench --scale strong --processes 2 --backend cpu --size 64x200 --repeats 5 "
                     "--quiet --out {}",
                     folder / "scale"));
    const auto json = nlohmann::json::parse(read_bytes(folder / "scale" / "scale.json"));
    REQUIRE(json.at("same_bits") == true);
    REQUIRE(json.at("rows").size() == 2);
    const auto& row = json.at("rows")[1];
    REQUIRE(row.at("processes") == 2);
    REQUIRE(row.at("field_hash") == json.at("rows")[0].at("field_hash"));
    // Rows are sent with padding to whole cache lines.
    const double given = row.at("bytes_per_step"), formula = row.at("bytes_per_step_formula");
    REQUIRE(formula == 64 * 4);
    REQUIRE(given >= formula);
    REQUIRE(given < 1.5 * formula);
    REQUIRE(fs::exists(folder / "scale" / "scale.svg"));
}

TEST_CASE("Statistics and norms have the same bits for any number of processes") {
    const ScratchFolder folder;
    const auto written = [&](const std::string& words, int processes) {
        const fs::path out = folder / std::to_string(processes);
        require_done(stencilscope("run --backend cpu --quiet " + words +
                                      " --threads 1 --steps 64 --every 32 "
                                      "--export statistics.csv,timings.json --out {} --processes {}",
                                  out,
                                  processes));
        const auto timings = read_json(out / "timings.json");
        return std::pair{read_bytes(out / "statistics.csv"), timings.value("step_error", nlohmann::json())};
    };
    for (const std::string words : {"--size 67x411 --initial noise",
                                    "--size 2500x300 --initial noise --boundary periodic --dtype float64",
                                    "--model gray-scott --size 67x411 --show u*v --compare dt/2"}) {
        CAPTURE(words);
        const auto one = written(words, 1);
        REQUIRE(one.first.size() > 100);
        for (const int processes : {2, 3, 5}) REQUIRE(written(words, processes) == one);
    }
}

TEST_CASE("Ctrl-C ends all processes with what was done until then") {
    const ScratchFolder folder;
    const std::string line =
        "run --backend cpu --threads 1 --quiet --size 300x300 --steps 100000000 "
        "--checkpoint 500 --processes 2 --out {}";
    const auto cut =
        run_program(words(line, folder / "cut"),
                    {.interrupt_once = folder / "cut" / "checkpoint" / "run.json", .seconds = 60});
    REQUIRE(cut.status == 130);
    REQUIRE(fs::exists(folder / "cut" / "field.npy"));
}
