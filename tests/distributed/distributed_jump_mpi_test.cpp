// Exact n-step propagation of a field distributed over processes.

#include "kernels/cuda/cuda_runtime.h"
#include "sim/files/npy.h"
#include "tests/distributed/equal_runs.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

const std::string kJump = "--method spectral --initial noise ";
const std::string kFields = "--export field.npy,laplacian.npy,field.png,timings.json ";

// Returns the relative distance, in float64, of the final fields of two command lines.
double distance_of_runs(const std::string& line, const std::string& truth) {
    CAPTURE(line, truth);
    const ScratchFolder folder;
    const std::string run = "run --quiet --export field.npy,timings.json --out {} ";
    require_done(stencilscope(run + line, folder / "run"));
    require_done(stencilscope(run + truth, folder / "truth"));
    return relative_error(read_npy(folder / "run" / "field.npy"),
                          read_npy(folder / "truth" / "field.npy").to(DType::float64));
}

}  // namespace

TEST_CASE("A jump of any number of processes has the bits of one whatever the boundary and the size") {
    const auto require_jump = [](const std::string& line, int processes, int stepping) {
        require_equal_runs(kJump + kFields + line, processes, stepping);
    };
    require_jump("--steps 1000000 --boundary zero --size 67x211", 2, 2);
    require_jump("--steps 40 --boundary insulated --size 131x64", 3, 3);
    require_jump("--steps 41 --boundary periodic --size 101x103", 4, 4);
    require_jump("--steps 40 --boundary zero --size 53x47 --dtype float64", 7, 7);
    require_jump("--steps 100000 --boundary insulated --size 101x103 --dtype float64", 4, 4);
    require_jump("--steps 7 --boundary periodic --size 66x31 --dtype float64", 3, 3);
}

TEST_CASE("Pairs of rows are shared by as many processes as there are and columns may be fewer") {
    require_equal_runs(kJump + kFields + "--steps 40 --size 40x5", 7, 2);
    require_equal_runs(kJump + kFields + "--steps 40 --size 40x3", 2, 1);
    require_equal_runs(kJump + kFields + "--steps 40 --boundary periodic --size 1x50", 4, 4);
    require_equal_runs(kJump + kFields + "--steps 40 --boundary insulated --size 3x51", 7, 7);
}

TEST_CASE("Strips of more than a buffer are exchanged by pieces") {
    require_equal_runs(kJump +
                           "--export initial.npy,field.npy,laplacian.npy,timings.json --steps 9 --size "
                           "2501x2200 --dtype float64",
                       2,
                       2);
    // One process has a row more than the others.
    require_equal_runs(kJump +
                           "--export initial.npy,field.npy,laplacian.npy,timings.json --steps 9 --size "
                           "2400000x4 --dtype float64 --boundary periodic",
                       2,
                       2);
}

TEST_CASE("Jumps of several processes are edited and followed by steps as those of one") {
    const std::string edits =
        " --at 40:coefficient=0.11 --at 70:paint=0.7,20,add,30,90 --at 75:boundary=periodic "
        "--at 90:method=cpu --at 110:method=spectral --at 120:boundary=insulated --at 125:size=50x170 ";
    require_equal_runs(kJump + "--size 67x211 --steps 133" + edits + kFiles, 3, 3);
}

TEST_CASE("Jumps of three processes go on by two and by one") {
    require_same_when_cut("--size 45x70 " + kJump, 100, 150);
}

TEST_CASE("bench --scale times jumps and finds the same bits") {
    const ScratchFolder folder;
    require_done(
        stencilscope("bench --scale strong --processes 2 --backend cpu --method spectral --size 64x200 "
                     "--repeats 5 --quiet --out {}",
                     folder / "scale"));
    const auto json = nlohmann::json::parse(read_bytes(folder / "scale" / "scale.json"));
    REQUIRE(json.at("same_bits") == true);
    const auto& row = json.at("rows")[1];
    REQUIRE(row.at("steps") == 1);
    REQUIRE(row.at("gcells_per_s").is_null());
    REQUIRE(row.at("bytes_per_step") == 64 * 200 * 4 / 2);
    REQUIRE(row.at("bytes_per_step_formula") == row.at("bytes_per_step"));
}

// They share the first GPU, unless there are several. cuFFT may choose other kernels for fewer lines.
TEST_CASE("Processes on GPUs jump to where one does") {
    if (query_cuda().devices.empty()) {
        SUCCEED("no GPU");
        return;
    }
    for (const std::string boundary : {"zero", "insulated", "periodic"})
        for (const std::string dtype : {"float32", "float64"}) {
            const std::string shape =
                "--initial noise --size 1003x517 --at 300:coefficient=0.1 --at "
                "500:method=tiled --steps 550 --boundary " +
                boundary + " --dtype ";
            const std::string jump = shape + dtype + " --backend cuda --method spectral";
            const double bound = dtype == "float32" ? 3e-6 : 1e-12;
            REQUIRE(distance_of_runs(jump + " --processes 3", jump) < bound);
            REQUIRE(distance_of_runs(jump + " --processes 2",
                                     shape + "float64 --backend cuda --method spectral") < bound);
        }
    // Transposes in pieces, with fewer rows and columns than processes.
    const std::string large = "--size 9000x7001 --initial noise --steps 9 --backend cuda --method spectral";
    REQUIRE(distance_of_runs(large + " --processes 2", large) < 3e-6);
    const std::string small = "--size 3x9 --initial noise --steps 9 --backend cuda --method spectral";
    REQUIRE(distance_of_runs(small + " --processes 4", small) < 3e-6);
}
