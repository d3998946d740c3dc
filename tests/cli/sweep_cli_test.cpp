// stencilscope sweep: its files, how it is cut and goes on, and what it refuses.

#include "sim/files/exchange/field_set.h"
#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace fs = std::filesystem;

namespace {

const std::string kSweep = "sweep --backend cpu --threads 2 --size 24x16 --quiet --out {} ";
const std::string kPattern = kSweep +
                             "--model gray-scott --steps 40 --vary F=0.02:0.06:3 --vary K=0.05,0.06 "
                             "--observe mean(v) ";

// The bytes that do not depend on timing.
Files swept_files(const fs::path& out) {
    return files_below(out, [](const std::string& path) { return path != "runs.jsonl"; });
}

std::vector<std::vector<std::string>> swept_rows(const fs::path& csv) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : lines_of(csv)) rows.push_back(parts(line, ","));
    return rows;
}

std::string cell(const std::vector<std::vector<std::string>>& rows,
                 std::size_t run,
                 const std::string& name) {
    const auto column = std::ranges::find(rows.front(), name) - rows.front().begin();
    return rows[run + 1][std::size_t(column)];
}

std::vector<float> values_of(const fs::path& npy) {
    const stencil::NpyArray array = stencil::read_npy_array(npy, stencil::DType::float32);
    return std::get<std::vector<float>>(array.values);
}

}  // namespace

TEST_CASE("A sweep writes a row a run, and fields in the shape of its axes with the bits of runs alone") {
    const ScratchFolder folder;
    const fs::path out = folder / "out", alone = folder / "alone";
    require_done(stencilscope(kPattern + "--export csv,npy,png", out));
    REQUIRE(names_in(out) == words("fields.npy runs.jsonl spec.json sweep.csv sweep.png"));
    const auto header = stencil::read_npy_header(out / "fields.npy");
    REQUIRE(header.shape == std::vector<std::int64_t>{2, 3, 2, 16, 24});
    const auto rows = swept_rows(out / "sweep.csv");
    REQUIRE(rows.size() == 7);
    const auto fields = values_of(out / "fields.npy");
    std::size_t run = 0;
    for (const char* k : {"0.05", "0.06"})
        for (const char* f : {"0.02", "0.04", "0.06"}) {
            REQUIRE(cell(rows, run, "F") == f);
            REQUIRE(cell(rows, run, "K") == k);
            REQUIRE(cell(rows, run, "status") == "done");
            require_done(
                stencilscope("run --backend cpu --threads 2 --size 24x16 --quiet --model gray-scott "
                             "--steps 40 --set F={} --set K={} --export field.npy,timings.json --out {}",
                             f,
                             k,
                             alone / std::to_string(run)));
            const fs::path single = alone / std::to_string(run);
            REQUIRE(cell(rows, run, "field_hash") ==
                    read_json(single / "timings.json").at("field_hash").get<std::string>());
            const auto v = values_of(single / "field-v.npy");
            const auto begin = fields.begin() + std::ptrdiff_t((2 * run + 1) * v.size());
            REQUIRE(std::vector<float>(begin, begin + std::ptrdiff_t(v.size())) == v);
            double mean = 0;
            for (const float value : v) mean += double(value) / double(v.size());
            REQUIRE_THAT(std::stod(cell(rows, run, "mean(v)")), Catch::Matchers::WithinRel(mean, 1e-5));
            ++run;
        }
}

TEST_CASE("A list of runs from a CSV varies its columns together, and seeds are those of runs alone") {
    const ScratchFolder folder;
    const fs::path list = write_bytes(folder / "runs.csv", "# two runs\nseed,coefficient\n7,0.1\n8,0.2\n");
    require_done(
        stencilscope(kSweep + "--initial noise --steps 5 --vary {} --export csv", folder / "out", list));
    const auto rows = swept_rows(folder / "out" / "sweep.csv");
    REQUIRE(rows.size() == 3);
    REQUIRE(cell(rows, 1, "coefficient") == "0.2");
    require_done(
        stencilscope("run --backend cpu --size 24x16 --quiet --initial noise --steps 5 --seed 8 "
                     "--coefficient 0.2 --export timings.json --out {}",
                     folder / "alone"));
    REQUIRE(cell(rows, 1, "field_hash") ==
            read_json(folder / "alone" / "timings.json").at("field_hash").get<std::string>());
    write_bytes(list, "seed,coefficient\n7\n");
    require_refused(stencilscope("sweep --vary {}", list), 2, "run 1 has 1 values");
}

TEST_CASE("A run that overflows is a row that says so, and the exit status is 0") {
    const ScratchFolder folder;
    const auto result =
        require_done(stencilscope(kSweep + "--equation {} --steps 50 --vary K=0,9 --export csv,npy,png",
                                  folder / "out",
                                  "du/dt = K*u^2; u(0) = 1; K = 1; dt = 0.1"));
    REQUIRE(contains(result.err, "1 of 2 runs are not done"));
    const auto rows = swept_rows(folder / "out" / "sweep.csv");
    REQUIRE(cell(rows, 0, "status") == "done");
    REQUIRE(contains(cell(rows, 1, "status"), "not finite at step"));
}

TEST_CASE("A sweep that was cut goes on with the runs that are missing, to the same files") {
    const ScratchFolder folder;
    const std::string line =
        kSweep + "--model gray-scott --steps 20000 --vary F=0.02:0.06:4 --vary K=0.05,0.06 --export csv,npy ";
    ProgramOptions options;
    options.interrupt_once = folder / "cut" / "runs.jsonl";
    const auto cut = run_program(words(line, folder / "cut"), options);
    require_done(stencilscope(line, folder / "whole"));
    if (cut.status != 0) {  // on a quick machine it may have been done
        REQUIRE(cut.status == 130);
        REQUIRE(contains(cut.err, "the same command goes on"));
    }
    require_done(stencilscope(line, folder / "cut"));
    require_same_files(swept_files(folder / "cut"), swept_files(folder / "whole"));
    // Another sweep leaves these results alone.
    require_done(stencilscope(kSweep + "--steps 2 --vary coefficient=0.1,0.2 --export csv", folder / "cut"));
    require_same_files(swept_files(folder / "cut"), swept_files(folder / "whole"));
    REQUIRE(fs::exists(folder / "cut-2" / "sweep.csv"));
}

TEST_CASE("spec.json of a sweep repeats it") {
    const ScratchFolder folder;
    require_done(stencilscope(kPattern + "--export csv", folder / "one"));
    require_done(stencilscope(
        "sweep --quiet --spec {} --export csv --out {}", folder / "one" / "spec.json", folder / "two"));
    require_same_files(swept_files(folder / "one"), swept_files(folder / "two"));
}

TEST_CASE("A sweep draws pictures and maps for one, two and three settings in every format") {
    const ScratchFolder folder;
    const std::string line = kSweep + "--steps 3 --initial noise --export png,pdf,svg ";
    require_done(stencilscope(line + "--vary seed=1:30:30", folder / "wrapped"));
    require_done(stencilscope(line + "--vary seed=1:3:3 --map max(u)", folder / "curve"));
    require_done(
        stencilscope(line + "--vary coefficient=0.01:0.2:3:log --vary seed=1,2 --map mean(u) --contours 3",
                     folder / "map"));
    require_done(stencilscope(
        line + "--vary coefficient=0.1,0.2 --vary seed=1,2 --vary boundary=zero,periodic", folder / "three"));
    for (const char* name : {"wrapped", "curve", "map", "three"})
        for (const char* file : {"sweep.png", "sweep.pdf", "sweep.svg"})
            REQUIRE(fs::file_size(folder / name / file) > 1000);
    const std::string picture = read_bytes(folder / "three" / "sweep.svg");
    REQUIRE(contains(picture, "boundary = periodic"));
}

TEST_CASE("A sweep refuses in one line what it cannot do, and leaves nothing behind") {
    const ScratchFolder folder;
    for (const auto& [options, part] :
         pairs("--steps 1 => needs --vary | --vary K=1,2 => unknown name 'K' | --vary coefficient=1 --export "
               "jpg => "
               "unknown file 'jpg' | --vary coefficient=0.1,0.2 --observe u => differs from cell to cell | "
               "--vary coefficient=0.1:0.2 => coefficient=0.1:0.2 | --vary size=8,9 => the same in all runs "
               "| --vary coefficient=0.1,0.2 --at 5:size=9 => one array"))
        require_refused(stencilscope(kSweep + options, folder / "out"), 2, part);
    REQUIRE(folder.entries() == 0);
    require_refused(stencilscope("sweep --vary coefficient=0.1,0.2 --map u_max"), 2, "need --out");
}

TEST_CASE("sweep.h5 has the fields over axes named by what varies") {
    if (!stencil::why_no_hdf5().empty()) skip("no HDF5");
    const ScratchFolder folder;
    require_done(stencilscope(kPattern + "--export h5,npy", folder / "out"));
    const std::string bytes = read_bytes(folder / "out" / "sweep.h5");
    for (const char* part : {"DIMENSION_LIST", "DIMENSION_SCALE", "mean(v)", "wavelength", "status"})
        REQUIRE(contains(bytes, part));
}
