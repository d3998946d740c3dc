// Tests of the command stencilscope bench.

#include <fmt/format.h>

#include "kernels/methods/method.h"
#include "sim/model/step/stages.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"

using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kBench = "bench --backend cpu --threads 2 ";

bool near(const Json& a, double b) {
    return std::abs(a.get<double>() / b - 1) < 1e-9;
}

// Checks that a row's derived figures follow from its time, its size and the limits.
void require_consistent(const Json& row, const Json& limits) {
    INFO(row.dump());
    REQUIRE(row.at("seconds").get<double>() > 0);
    REQUIRE(row.at("error").get<double>() < 1e-4);
    for (const char* power : {"clock_mhz", "watts", "joules_per_gcell", "throttled"})
        REQUIRE(row.at(power).is_null());  // known of GPUs alone
    REQUIRE_FALSE(row.at("truth").get<std::string>().empty());
    if (row.at("jumps") == true) {
        for (const char* speed :
             {"us_per_step", "gcells_per_s", "effective_gb_per_s", "of_copy_bandwidth", "of_issue_limit"})
            REQUIRE(row.at(speed).is_null());
        return;
    }
    const double seconds = row.at("seconds").get<double>() / row.at("steps").get<double>();
    const double gcells = row.at("nx").get<double>() * row.at("ny").get<double>() / seconds / 1e9;
    const double cell = row.at("dtype") == "float32" ? 4 : 8;
    const double copy = limits.at("copy_gb_per_s");
    REQUIRE(near(row.at("us_per_step"), seconds * 1e6));
    REQUIRE(near(row.at("gcells_per_s"), gcells));
    REQUIRE(near(row.at("effective_gb_per_s"), 2 * cell * gcells));
    REQUIRE(near(row.at("of_copy_bandwidth"), 2 * cell * gcells / copy));
    REQUIRE(near(limits.at("copy_gcells_per_s"), copy / (2 * cell)));
    REQUIRE(near(limits.at("issue_gcells_per_s"),
                 limits.at("instructions_per_second").get<double>() /
                     limits.at("instructions_per_cell").get<double>() / 1e9));
    REQUIRE(near(row.at("of_issue_limit"), gcells / limits.at("issue_gcells_per_s").get<double>()));
}

}  // namespace

TEST_CASE("bench --work-precision writes its table, picture and results, and refuses what has no error") {
    const ScratchFolder folder;
    const std::string words = kBench + "--work-precision --dtype float64 ";
    const ProgramResult result =
        require_done(stencilscope(words + "--size 12x9 --until 1 --model allen-cahn --out {} --json {}",
                                  folder / "out",
                                  folder / "w.json"));
    for (const auto& integrator : stencil::equation::integrators())
        REQUIRE(contains(result.out, "\n" + integrator.name + " "));
    const Json results = read_json(folder / "w.json");
    REQUIRE(results == read_json(folder / "out/work-precision.json"));
    REQUIRE(results.at("rows").size() == 6 * stencil::equation::integrators().size());
    REQUIRE(contains(read_bytes(folder / "out/work-precision.csv"), "rk4,cpu,float64"));
    REQUIRE(read_picture(folder / "out/work-precision.png").width > 100);
    REQUIRE_FALSE(read_bytes(folder / "out/work-precision.svg").empty());
    for (const auto& [more, token] :
         pairs("--model life => u' | --model gray-scott --dt 0.1 => --dt | "
               "--model gray-scott --stepper rk4 => --integrator | --model gray-scott --sweep => --sweep | "
               "--model gray-scott --method tiled => tiled | --model gray-scott --until 0 => --until | "
               "--model gray-scott --save => --save | --model gray-scott --kernel mine.cu => --kernel"))
        require_refused(stencilscope(words + more), 2, token);
    require_refused(stencilscope(words + "--equation {}", "du/dt = lap(u) + normal"), 2, "noise");
    require_refused(stencilscope(kBench + "--model gray-scott --until 3"), 2, "--work-precision");
    require_refused(stencilscope(kBench + "--dtype both"), 2, "--work-precision");
}

TEST_CASE("bench measures every method of the backend on every size, and its figures agree") {
    const ScratchFolder folder;
    const ProgramResult result = require_done(
        stencilscope(kBench + "--size 60,50x40 --size 33 --steps 24 --repeats 5 --dtype float64 --boundary "
                              "periodic --coefficient 0.13 --out {}",
                     folder / "out"));
    const Json bench = read_json(folder / "out/bench.json");
    require_members(bench, {{"program", "stencilscope"}, {"backend", "cpu"}, {"interrupted", false}});
    REQUIRE(bench.at("limits").at("instructions_per_cell") == 3);
    const Json& rows = bench.at("rows");
    std::size_t expected = 0;
    for (const auto& [nx, ny] : {std::pair{60, 60}, std::pair{50, 40}, std::pair{33, 33}})
        for (const stencil::Method& method : stencil::methods()) {
            if (method.device != stencil::Device::cpu) continue;
            const Json& row = rows.at(expected++);
            require_members(row,
                            {{"method", method.name},
                             {"nx", nx},
                             {"ny", ny},
                             {"dtype", "float64"},
                             {"boundary", "periodic"},
                             {"coefficient", 0.13},
                             {"steps", 24},
                             {"repeats", 5}});
            REQUIRE(row.at("error").get<double>() < 1e-11);
            require_consistent(row, bench.at("limits"));
            REQUIRE(contains(result.out, fmt::format("{}x{}", nx, ny)));
            REQUIRE(contains(result.out, std::string(method.name)));
        }
    REQUIRE(rows.size() == expected);
    // The CSV has the values of the JSON.
    const Words lines = lines_of(folder / "out/bench.csv");
    REQUIRE(lines.size() == 1 + expected);
    const auto header = stencil::split(lines.front(), ',');
    const auto seconds = std::size_t(std::ranges::find(header, "seconds") - header.begin());
    REQUIRE(near(rows.at(0).at("seconds"), std::stod(stencil::split(lines.at(1), ',').at(seconds))));
    const Picture picture = read_picture(folder / "out/bench.png");
    REQUIRE(picture.width > 1000);
    REQUIRE(std::ranges::any_of(picture.pixels, [](stencil::Rgb p) { return p.b > p.r + 50; }));
    REQUIRE(read_bytes(folder / "out/bench.svg").starts_with("<?xml"));
    REQUIRE(contains(read_bytes(folder / "out/roofline.svg"), ">memory<"));
    REQUIRE(read_picture(folder / "out/roofline.png").width > 1000);
    REQUIRE_FALSE(fs::exists(folder / "out/profile.csv"));
}

TEST_CASE("A sweep begins at 256, ends at what fits, and says where the field lives") {
    const ScratchFolder folder;
    const fs::path file = folder / "b.json";
    const ProgramResult result = require_done(run_program(
        words(kBench + "--sweep --method cpu --steps 12 --repeats 5 --memory-limit 90MB --json {}", file)));
    const Json rows = read_json(file).at("rows");
    REQUIRE(rows.size() >= 3);
    REQUIRE(rows.front().at("nx") == 256);
    for (const Json& row : rows) {
        REQUIRE(!contains(row.at("note").get<std::string>(), "not enough"));
        REQUIRE(near(row.at("ps_per_cell"), 1e3 / row.at("gcells_per_s").get<double>()));
        REQUIRE(row.at("fixed_us").get<double>() > 0);
        const std::string fits = row.at("fits");
        REQUIRE((fits == "L2" || fits == "L3" || fits == "memory"));
    }
    REQUIRE(contains(result.out, "ps/cell"));
}

TEST_CASE("What bench cannot measure is one line") {
    const auto cases = pairs(
        "--size 0 => --size 0 | --size 12,,3 => --size | --size 12x3x4 => --size | "
        "--method cpus => 'cpu' | --method cpu,tiled => --backend says cpu | "
        "--method tiled => --backend says cpu | --steps 0 => --steps 0 | "
        "--repeats 4 => --repeats 4 | --coefficient 0.3 => coefficient 0.3: above 0.25 | "
        "--sweep --size 20 => --sweep | --boundary open => insulated | "
        "--profile => --profile reads the counters of an NVIDIA GPU | "
        "--fast => --method fast steps typed equations alone | "
        "--model gray-scott --fast => --method fast runs on cuda | "
        "--dtype half => float32, float64 | --threads 0 => --threads 0 | "
        "--initial noise => unknown option '--initial' | --sise 20 => '--size' | "
        "extra => unknown word 'extra'");
    for (const auto& [words, part] : cases) {
        INFO(words);
        require_refused(stencilscope(kBench + words), 2, part);
    }
    require_refused(stencilscope("bench --method cpu,tiled"), 2, "one device");
    require_refused(stencilscope(kBench + "--quiet --size 20000 --memory-limit 100MB"), 1, "not enough");
    require_refused(stencilscope(kBench + "--size 20 --json /proc/b.json"), 2, "--json");
    const std::string unstable =
        kBench + "--size 20 --method cpu --steps 2 --repeats 5 --quiet --coefficient 0.3";
    require_refused(stencilscope(unstable), 2, "or add --allow-unstable");
    require_done(stencilscope(unstable + " --allow-unstable"));
}

TEST_CASE("What fits no memory is a line of the table where something else does") {
    const ScratchFolder folder;
    const fs::path file = folder / "b.json";
    require_done(stencilscope(
        kBench + "--size 20,20000 --method cpu --steps 12 --memory-limit 100MB --json {} --quiet", file));
    const Json rows = read_json(file).at("rows");
    REQUIRE(rows.at(0).at("gcells_per_s").get<double>() > 0);
    REQUIRE(rows.at(1).at("gcells_per_s").is_null());
    REQUIRE(contains(rows.at(1).at("note"), "not enough"));
}

TEST_CASE("Ctrl-C writes what was measured, with status 130") {
    const ScratchFolder folder;
    const ProgramResult result = run_program(
        words(kBench + "--size 64,3000 --method cpu --steps 2400 --repeats 1000 --out {}", folder.path()),
        {.interrupt_after = 1});
    INFO(result.err);
    REQUIRE(result.status == 130);
    REQUIRE(contains(result.err, "interrupted after"));
    const Json bench = read_json(folder / "bench.json");
    REQUIRE(bench.at("interrupted") == true);
    REQUIRE(bench.at("rows").size() < 2);
    for (const Json& row : bench.at("rows")) require_consistent(row, bench.at("limits"));
    REQUIRE(std::filesystem::exists(folder / "bench.png"));
}
