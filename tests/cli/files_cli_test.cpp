// Files that a run reads and writes: tables, masks, pipes, coordinates, and results of other runs.
#include <sys/stat.h>

#include <cstdlib>

#include "sim/files/npy.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using stencil::Field;
using stencil::read_npy;
namespace fs = std::filesystem;

namespace {

const std::string kQuietRun = "run --backend cpu --threads 1 --quiet ";

// Runs a line of the shell in which $S is the program.
std::string shell(const ScratchFolder& folder, const std::string& line) {
    const fs::path out = folder / "shell.out";
    const std::string command = "cd '" + folder.path().string() + "'; S='" + program_file() + "'; " + line;
    write_script(folder / "line.sh", command);
    const int status =
        std::system(("bash " + (folder / "line.sh").string() + " > " + out.string() + " 2>&1").c_str());
    return read_bytes(out) + "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

TEST_CASE("A run starts from a table at the table's size, and writes one with the equation's coordinates") {
    const ScratchFolder folder;
    write_bytes(folder / "u.csv", "1,2,3\n4,5,6\n");
    write_bytes(folder / "model.txt",
                "origin = -Lx/2, 10\ndu/dt = 0\ndx = 0.5\nsteps = 1\nu(0) = array(\"u.csv\")\n");
    // Paths are those of the text's folder.
    require_done(stencilscope(
        kQuietRun + "--model {} --export field.csv,field.vti,spec.json --unit-length mm --out {}",
        folder / "model.txt",
        folder / "out"));
    const Words lines = lines_of(folder / "out/field.csv");
    REQUIRE(lines.size() == 7);
    CHECK(lines[0] == "x (mm),y (mm),u,time");
    CHECK(lines[1].starts_with("-0.5,10.25,1,"));
    CHECK(lines[6].starts_with("0.5,10.75,6,"));
    CHECK(contains(read_bytes(folder / "out/field.vti"), "Origin=\"-0.75 10 0\" Spacing=\"0.5 0.5 0.5\""));
    for (const char* again : {"out/field.csv", "out/field.vti"}) {
        require_done(stencilscope(
            kQuietRun + "--equation du/dt=0 --initial {} --steps 1 --export field.npy --replace --out {}",
            folder / again,
            folder / "again"));
        const Field field = read_npy(folder / "again/field.npy");
        CHECK(field.nx() == 3);
        CHECK(field.values() == std::vector<double>{1, 2, 3, 4, 5, 6});
    }
    require_refused(
        stencilscope(kQuietRun + "--initial {} --size 4", folder / "u.csv"), 2, "the array is 3x2");
    // A name that looks like a component's is a file if there is one.
    const std::string named =
        shell(folder, "cp u.csv u=5.csv; $S " + kQuietRun + "--initial u=5.csv --steps 1");
    CHECK(named == "status 0");
    CHECK(contains(shell(folder, "touch a.mat; $S run --initial a.mat"), ".npy .npz .csv"));
}

TEST_CASE("NaN in an array leaves its cells out of the shape") {
    const ScratchFolder folder;
    write_bytes(folder / "bay.csv", "0,nan,1\n0,nan,1\n0,0,1\n");
    const ProgramResult result =
        require_done(stencilscope(kQuietRun + "--equation du/dt=lap(u) --boundary insulated --initial {} "
                                              "--dt 0.1 --steps 1 --export field.npy,spec.json --out {}",
                                  folder / "bay.csv",
                                  folder / "out"));
    CHECK(contains(result.err, "2 of 9 cells are NaN"));
    CHECK(contains(read_bytes(folder / "out/spec.json"), "inside = known("));
    // Nothing flows through the wall of NaN: the cells at its right lose nothing to it, the corner to the
    // open row.
    const Field field = read_npy(folder / "out/field.npy");
    const std::vector<double> values = field.values();
    CHECK(values[0] == 0);
    CHECK(values[3] == 0);
    CHECK(std::abs(values[7] - 0.1) < 1e-6);
    require_done(stencilscope(
        kQuietRun + "--spec {} --export field.npy --out {}", folder / "out/spec.json", folder / "same"));
    CHECK(same_bits(field, read_npy(folder / "same/field.npy")));
    require_refused(stencilscope(kQuietRun + "--model {} --initial {}",
                                 write_bytes(folder / "own.txt", "du/dt = lap(u)\ninside = x < 2\n"),
                                 folder / "bay.csv"),
                    2,
                    "known(");
    require_done(stencilscope(kQuietRun + "--model {} --steps 1",
                              write_bytes(folder / "own.txt",
                                          "du/dt = lap(u)\nu(0) = array(\"bay.csv\")\ninside = x < 2.9 and "
                                          "known(\"bay.csv\")\ndt = 0.1\n")));
}

TEST_CASE("Texts, tables and specs come through pipes, and results go there") {
    const ScratchFolder folder;
    const std::string small = " --backend cpu --size 4 --steps 1 --threads 1 --quiet";
    CHECK(shell(folder, "echo 'du/dt = 1' | $S run --model -" + small) == "status 0");
    CHECK(shell(folder, "$S run --model <(echo 'du/dt = 1')" + small) == "status 0");
    CHECK(
        shell(folder, "echo '{\"steps\": 1}' | $S run --spec - --backend cpu --size 4 --threads 1 --quiet") ==
        "status 0");
    CHECK(
        shell(
            folder,
            "printf '1 2\\n3 4\\n' | $S run --initial - --backend cpu --steps 1 --threads 1 --quiet --export "
            "initial.npy --out o") == "status 0");
    CHECK(read_npy(folder / "o/initial.npy").values() == std::vector<double>{1, 2, 3, 4});
    const std::string json =
        shell(folder, "$S run --json - --backend cpu --size 4 --steps 1 --threads 1 2> err");
    CHECK(json.starts_with("{"));
    CHECK(contains(json, "\"steps\": 1"));
    CHECK_FALSE(contains(json, "wrote"));
    CHECK(shell(folder,
                "{ echo before; $S run --json /dev/stdout" + small +
                    " | tail -1; echo after; } > log; head -1 log; tail -1 log") ==
          "before\nafter\nstatus 0");
}

TEST_CASE("A run keeps the results of another one, and the modes of files that it replaces") {
    const ScratchFolder folder;
    const std::string line = kQuietRun + "--size 8 --export field.npy,spec.json ";
    require_done(stencilscope(line + "--steps 3 --out {}", folder / "out"));
    const std::string first = read_bytes(folder / "out/field.npy");
    fs::permissions(folder / "out/field.npy", fs::perms::owner_read | fs::perms::owner_write);
    const ProgramResult other = require_done(stencilscope(line + "--steps 4 --out {}", folder / "out"));
    CHECK(contains(other.err, "has the results of another run"));
    CHECK(read_bytes(folder / "out/field.npy") == first);
    CHECK(fs::exists(folder / "out-2/field.npy"));
    // The same run again, and one that is to replace.
    CHECK(require_done(stencilscope(line + "--steps 3 --colormap inferno --out {}/", folder / "out"))
              .err.empty());
    CHECK_FALSE(fs::exists(folder / "out-3"));
    CHECK(require_done(stencilscope(line + "--steps 4 --replace --out {}", folder / "out")).err.empty());
    CHECK(read_bytes(folder / "out/field.npy") != first);
    struct stat now = {};
    REQUIRE(::stat((folder / "out/field.npy").c_str(), &now) == 0);
    CHECK((now.st_mode & 0777) == 0600);
}

TEST_CASE("The first Ctrl-C says what happens, and a second one ends the program at once") {
    const ScratchFolder folder;
    const std::string said =
        shell(folder,
              "set -m; $S run --size 600 --steps 1000000 --method cpu --threads 1 --quiet --out "
              "o & P=$!; sleep 2; "
              // Two signals at once are one, so they are sent until it ends.
              "while kill -INT $P 2> /dev/null; do :; done; wait $P; echo status $?; ls -A o");
    CHECK(contains(said, "Ctrl-C again stops at once"));
    CHECK(contains(said, "status 130"));
    CHECK_FALSE(contains(said, "field.npy"));
}
