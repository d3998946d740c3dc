// Tests of the command line and of `stencilscope run`.

#include <fmt/format.h>

#include "sim/files/npy.h"
#include "sim/problem/artifact.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using stencil::Artifact;
using stencil::ExportGroupRow;
using stencil::Field;
using stencil::kExportGroups;
using stencil::read_npy;
using stencil::split;
namespace fs = std::filesystem;

namespace {

// A small, quick run on the CPU; later words override these.
const std::string kSmall = "run --backend cpu --size 40x30 --steps 25 --threads 2 ";

}  // namespace

TEST_CASE("run writes every file that it promises, and timings that add up") {
    const ScratchFolder folder;
    const OwnCache cache;
    const fs::path out = folder / "deep/out";
    const ProgramResult result = require_done(stencilscope(kSmall + "--out {}", out));
    REQUIRE(
        names_in(out) ==
        words(
            "field.npy field.png figure.png initial.npy laplacian.npy laplacian.png spec.json timings.json"));
    REQUIRE(contains(result.out, "wrote " + (out / "figure.png").string()));
    const auto t = read_json(out / "timings.json");
    require_members(t,
                    {{"program", "stencilscope"},
                     {"backend", "cpu"},
                     {"method", "cpu"},
                     {"nx", 40},
                     {"ny", 30},
                     {"steps", 25},
                     {"dtype", "float32"},
                     {"boundary", "zero"},
                     {"coefficient", 0.2}});
    REQUIRE(contains(t.at("method_choice"), "auto: cpu for 25 steps of 40x30"));
    REQUIRE(contains(result.out, "auto: cpu for"));
    const double seconds = t.at("seconds");
    REQUIRE(seconds > 0);
    REQUIRE(std::abs(t.at("us_per_step").get<double>() * 25e-6 / seconds - 1) < 1e-9);
    const double gcells = t.at("gcells_per_s");
    REQUIRE(std::abs(gcells * 1e9 * seconds / (40 * 30 * 25) - 1) < 1e-9);
    REQUIRE(std::abs(t.at("effective_gb_per_s").get<double>() / (8 * gcells) - 1) < 1e-9);
    REQUIRE(t.at("copy_gb_per_s").is_null());  // a short run measures no copies
    REQUIRE(t.at("of_copy_bandwidth").is_null());
    const auto field = read_npy(out / "field.npy");
    REQUIRE(field.nx() == 40);
    REQUIRE(field.ny() == 30);
    REQUIRE(std::abs(total(field) / t.at("field_at_end").at("total").get<double>() - 1) < 1e-6);
}

TEST_CASE("run by a method that jumps goes there at once, and tells no speed of it") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const ProgramResult whole = require_done(stencilscope(kSmall + "--method spectral --out {}", out));
    REQUIRE(contains(whole.out, "a jump of 25 steps in "));
    REQUIRE_FALSE(contains(whole.out, "GCells"));
    const auto t = read_json(out / "timings.json");
    REQUIRE(t.at("jumps") == 1);
    REQUIRE(t.at("steps") == 25);
    for (const char* rate : {"us_per_step", "gcells_per_s", "effective_gb_per_s", "of_copy_bandwidth"})
        REQUIRE(t.at(rate).is_null());
    const ProgramResult cut =
        stencilscope(kSmall + "--method spectral --every 10 --export spec.json --out {} --json {}",
                     out,
                     folder / "t.json");
    REQUIRE(contains(cut.out, "3 jumps, 25 steps in all, in "));
    REQUIRE(read_json(folder / "t.json").at("jumps") == 3);
}

TEST_CASE("The drift of the total is told where the boundary conserves it") {
    const ScratchFolder folder;
    const fs::path json = folder / "t.json";
    const ProgramResult closed = stencilscope(kSmall + "--boundary periodic --json {}", json);
    REQUIRE(contains(closed.out, "(drift "));
    REQUIRE(std::abs(read_json(json).at("total_drift").get<double>()) < 1e-6);
    const ProgramResult open = stencilscope(kSmall + "--boundary zero --initial noise --json {}", json);
    REQUIRE_FALSE(contains(open.out, "drift"));
    REQUIRE(read_json(json).at("total_drift").is_null());
}

TEST_CASE("A run repeats from its spec.json bit for bit, and other words override it") {
    const ScratchFolder folder;
    const fs::path first = folder / "a", again = folder / "b", longer = folder / "c";
    require_done(stencilscope(kSmall + "--out {} --boundary periodic --coefficient 0.13 --initial "
                                       "gaussian:sigma=0.2 --export default,figure.svg,figure.pdf",
                              first));
    require_done(stencilscope("run --spec {} --out {} --quiet", first / "spec.json", again));
    REQUIRE(names_in(first) == names_in(again));
    for (const char* name :
         {"initial.npy", "field.npy", "laplacian.npy", "field.png", "laplacian.png", "spec.json"})
        REQUIRE(read_bytes(first / name) == read_bytes(again / name));
    require_done(stencilscope("run --steps 26 --spec {} --out {} --export field.npy,timings.json --quiet",
                              first / "spec.json",
                              longer));
    REQUIRE(read_json(longer / "timings.json").at("steps") == 26);
    REQUIRE(hash_of_fields(first) != hash_of_fields(longer));
}

TEST_CASE("Without a folder nothing is exported, nor refused for what would not fit into a picture") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(stencilscope(kSmall + "--out {} --every 10 --quiet", out));
    const ProgramResult repeated = require_done(stencilscope("run --spec {}", out / "spec.json"));
    REQUIRE(contains(repeated.out, "nothing was written"));
    // The size violates both PNG's limit and the memory limit; the memory is reported.
    require_refused(stencilscope(kSmall + "--size 30000 --memory-limit 1MB"), 1, "not enough host memory");
}

TEST_CASE("Frames are numbered and hold the moments that their names say") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(run_program(words(
        kSmall + "--out {} --every 10 --export initial.npy,field.npy,frames.png,frames.npy --quiet", out)));
    REQUIRE(names_in(out / "frames") ==
            words("field_000000.npy field_000000.png field_000010.npy field_000010.png field_000020.npy "
                  "field_000020.png field_000025.npy field_000025.png"));
    REQUIRE(read_bytes(out / "frames/field_000000.npy") == read_bytes(out / "initial.npy"));
    REQUIRE(read_bytes(out / "frames/field_000025.npy") == read_bytes(out / "field.npy"));
    REQUIRE(read_bytes(out / "frames/field_000010.npy") != read_bytes(out / "frames/field_000020.npy"));
}

TEST_CASE("Frames share the first one's colours, or take their own each") {
    const ScratchFolder folder;
    const auto last_frame = [&](const std::string& name, const std::string& more) {
        require_done(stencilscope(kSmall + "--out {} --every 25 --export field.png,frames.png --quiet" + more,
                                  folder / name));
        return read_bytes(folder / name / "frames/field_000025.png");
    };
    const std::string shared = last_frame("shared", "");
    const std::string own = last_frame("own", " --range-per-frame");
    REQUIRE(shared != own);
    REQUIRE(own == read_bytes(folder / "own/field.png"));
}

TEST_CASE("Zero steps export the start") {
    const ScratchFolder folder;
    require_done(stencilscope(kSmall + "--steps 0 --out {}", folder.path()));
    REQUIRE(read_bytes(folder / "field.npy") == read_bytes(folder / "initial.npy"));
    const auto timings = read_json(folder / "timings.json");
    REQUIRE(timings.at("us_per_step").is_null());
    REQUIRE(timings.at("copy_gb_per_s").is_null());  // which takes longer than such a run
}

TEST_CASE("A picture becomes a field, at its own size or resampled") {
    const ScratchFolder folder;
    require_done(stencilscope(kSmall + "--out {} --export field.png --colormap grey --quiet", folder.path()));
    const auto field_of = [&](const std::string& words) {
        require_done(stencilscope("run --initial {} --steps 3 --out {} --export initial.npy --quiet " + words,
                                  folder / "field.png",
                                  folder / "out"));
        return read_npy(folder / "out/initial.npy");
    };
    const Field own = field_of(""), half = field_of("--size 20x15");
    REQUIRE(own.nx() == 40);
    REQUIRE(half.ny() == 15);
    REQUIRE(std::abs(total(half) * 4 / total(own) - 1) < 1e-5);
}

TEST_CASE("Bad input is one line and status 2, and leaves nothing behind") {
    const auto cases = pairs(
        "--size 0 => --size 0 | --size -3x4 => --size | "
        "--size 99999999999x99999999999 => whole number from 1 | --steps -1 => --steps -1 | "
        "--coefficient 0 => above 0 | --coefficient nan => finite | "
        "--coefficient 0.26 => --allow-unstable | --boundary perodic => 'periodic' | "
        "--method tilde => 'tiled' | --initial jaggy => 'jagged' | "
        "--initial nowhere.npy => nowhere.npy | --initial nowhere.png => nowhere.png | "
        "--dtype half => float32, float64 | --colormap jet => viridis | --range 5:1 => --range | "
        "--range percentile:0:101 => --range | --export field.gif => field.p | "
        "--export frames.png => --every | --every 0 => --every 0 | --seed -1 => --seed -1 | "
        "--threads 0 => --threads 0 | --memory-limit lots => --memory-limit | "
        "--method tiled --backend cpu => --backend says cpu | --spec nowhere.json => nowhere.json | "
        "--stesp 5 => '--steps' | --steps => --steps | --size 10x => --size 10x | "
        "--initial gaussian:sigma=1,sigma=2 => sigma | extra => unknown word 'extra'");
    for (const auto& [words, part] : cases) {
        INFO(words);
        const ScratchFolder folder;
        require_refused(stencilscope("run --out {} " + words, folder / "out"), 2, part);
        REQUIRE(names_in(folder.path()).empty());
    }
}

TEST_CASE("What was measured goes to CSV: statistics, histogram, profile and probes") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const auto result = require_done(stencilscope(
        "run --size 50x40 --initial noise --steps 20 --every 10 --probe 7,9 --probe 49,39 --profile "
        "0.5,3.5,49.5,3.5 --export field.npy,statistics.csv,histogram.csv,spec.json --out {}",
        out));
    const Field field = read_npy(out / "field.npy");
    REQUIRE(lines_of(out / "statistics.csv").size() == 1 + 3);
    REQUIRE(lines_of(out / "histogram.csv").size() == 1 + 256);
    const auto profile = lines_of(out / "profile.csv");
    REQUIRE(profile.size() == 1 + 50);
    REQUIRE(std::stod(split(profile.at(13), ',').at(3)) == Approx(double(field.as<float>().at(12, 3))));
    require_done(
        stencilscope("run --spec {} --profile 3.5,0.5,3.5,9.5 --out {} --quiet", out / "spec.json", out));
    const auto both = lines_of(out / "profile.csv");
    REQUIRE(both.front().starts_with("line,distance,"));
    REQUIRE(both.size() == 1 + 50 + 10);
    REQUIRE(both.at(14) == "1," + profile.at(14));
    REQUIRE(both.back().starts_with("2,9,3.5,9.5,"));
    const auto probes = lines_of(out / "probes.csv");
    REQUIRE(probes.size() == 1 + 2 * 3);
    REQUIRE(probes.back() == fmt::format("2,49,39,20,20,{}", double(field.as<float>().at(49, 39))));

    require_refused(stencilscope("run --out {} --export profile.csv", out), 2, "--profile");
    require_refused(stencilscope(kSmall + "--out {} --size 9 --probe 9,0", out), 2, "no cell (9, 0)");
}

TEST_CASE("Words that belong to no command are refused") {
    require_refused(stencilscope("rum"), 2, "did you mean 'run'?");
    require_refused(stencilscope("--sice 100"), 2, "did you mean '--size'?");
    require_refused(stencilscope("devices --backend gpu"), 2, "auto, cpu, cuda");
    require_refused(stencilscope(kSmall + "--export field.png"), 2, "--out");
    require_refused(stencilscope(kSmall + "--out {}", ""), 2, "--out");
    require_refused(stencilscope("--size 100 run"), 2, "run --size");
    require_refused(stencilscope("--size 100 devices"), 2, "devices --size");
    const auto before = pairs(
        "nonsense models => 'nonsense' before 'models' | "
        "nonsense run --size 16 --steps 1 => 'nonsense' before 'run' | "
        "--nonsense run --size 16 --steps 1 => '--nonsense' before 'run' | "
        "--quiet run --size 16 --steps 1 => '--quiet' before 'run' | "
        "--json=f.json devices => --json before 'devices' | "
        "example --rows 3 dot => '--rows' before 'dot' | example --list dot => --list before 'dot' | "
        "example --name matmul => --name | example nonsense dot => 'nonsense' before 'dot' | "
        "nonsense --help => unknown word 'nonsense' | help nonsense => unknown word 'nonsense' | "
        "run help => unknown word 'help'");
    for (const auto& [words, part] : before) {
        INFO(words);
        require_refused(stencilscope(words), 2, part);
    }
}

TEST_CASE("A mistake in a setting's value begins with the option") {
    for (const auto& [words, told] :
         {std::pair{"--model gray-scott --dt 0", "--dt 0: must be above 0, e.g. 0.01"},
          {"--global-every 0", "--global-every 0: must be a whole number"},
          {"--model gray-scott --tolerance 1e-4", "--tolerance: euler does not estimate its error"},
          {"--view sideways", "--view: unknown view 'sideways'"},
          {"--initial gaussian:sigma=x", "--initial gaussian:sigma x: must be a finite number"},
          {"--at 5:coefficient=-1", "--at 5: --coefficient -1: must be above 0"}})
        require_refused(stencilscope(kSmall + words), 2, fmt::format(": {}", told));
    const ProgramResult place = stencilscope(kSmall + "--equation du/dt=lap(w)");
    CHECK(place.status == 2);
    CHECK(contains(place.err, ": `w` is not defined"));
    CHECK(contains(place.err, "\n  du/dt=lap(w)\n            ^"));
}

TEST_CASE("A model beside an equation is refused, however they are given") {
    const ScratchFolder folder;
    write_bytes(folder / "both.json", R"_({"model": "gray-scott", "equation": "du/dt = lap(u)"})_");
    for (const std::string words : {"run --model gray-scott --equation du/dt=lap(u) --size 16 --steps 1",
                                    "run --equation du/dt=lap(u) --model gray-scott --size 16 --steps 1",
                                    "models gray-scott --code --equation du/dt=lap(u)",
                                    "bench --model gray-scott --equation du/dt=lap(u) --size 16"}) {
        INFO(words);
        require_refused(stencilscope(words), 2, "--model beside --equation");
    }
    require_refused(
        stencilscope("run --steps 1 --spec {}", folder / "both.json"), 2, "--model beside --equation");
    require_done(stencilscope("run --spec two-rooms --size 16 --steps 1 --equation du/dt=lap(u)"));
}

TEST_CASE("The size takes the numbers of all settings") {
    const ScratchFolder folder;
    const std::string out = (folder / "out").string();
    require_done(run_program({"run", "--size", "3e1x0.2k", "--steps", "1", "--out", out}));
    CHECK(contains(read_bytes(folder / "out/spec.json"), R"("size": "30x200")"));
    CHECK(run_program({"run", "--size", "1.5", "--steps", "1"}).status == 2);
}

TEST_CASE("Help lists the files of --export by group, each once with a few words") {
    const std::string help = require_done(run_program({"run", "--help"})).out;
    for (const Artifact& row : stencil::artifacts()) {
        CAPTURE(row.name);
        const std::string line = "\n    " + row.name + " ";
        const std::size_t found = help.find(line);
        REQUIRE(found != help.npos);
        CHECK(help.find(line, found + 1) == help.npos);
        CHECK(help.find(std::string(row.help), found) < help.find('\n', found + 1));
        // Its group is the last title above it.
        const auto title_at = [&](const ExportGroupRow& group) {
            return help.find("\n  " + std::string(group.title) + ", ");
        };
        for (const ExportGroupRow& group : kExportGroups)
            if (group.group > row.group)
                CHECK(title_at(group) > found);
            else
                CHECK(title_at(group) < found);
    }
}

TEST_CASE("Help and version are answered") {
    const ProgramResult version = require_done(stencilscope("--version"));
    REQUIRE(contains(version.out, STENCILSCOPE_VERSION));
    REQUIRE(contains(version.out, STENCILSCOPE_HAS_CUDA ? "CUDA: yes" : "CUDA: no"));
    const ProgramResult help = require_done(stencilscope("run --help"));
    for (const char* word :
         {"--coefficient", "--export", "jagged", "coolwarm", "streaming", "insulated", "figure.svg"})
        REQUIRE(contains(help.out, word));
    REQUIRE(contains(stencilscope("--help").out, "devices"));
    REQUIRE(require_done(stencilscope("help")).out == stencilscope("--help").out);
    REQUIRE(require_done(stencilscope("help run")).out == help.out);
    REQUIRE(require_done(stencilscope("help example dot")).out == stencilscope("example dot --help").out);
}

TEST_CASE("Help of a command ends with what its own options take") {
    CHECK(contains(stencilscope("--help").out, "Files of --export"));
    const std::string bench = stencilscope("bench --help").out;
    CHECK(contains(bench, "streaming     cuda: "));
    CHECK_FALSE(contains(bench, "Files of --export"));
    for (const char* command : {"verify", "devices", "options"})
        CHECK_FALSE(contains(stencilscope(std::string(command) + " --help").out, "jagged"));
}

TEST_CASE("A wrong command or example is told which there are") {
    CHECK(contains(stencilscope("nope").err,
                   "unknown word 'nope' (allowed: run, sweep, fit, bench, verify, devices, models"));
    CHECK(contains(stencilscope("example matmu").err, "did you mean 'matmul'? (allowed: elementwise, add"));
    CHECK_FALSE(contains(stencilscope("nope").err, "kernel-trial"));
}

TEST_CASE("quiet prints nothing, and json takes the timings elsewhere") {
    const ScratchFolder folder;
    const fs::path json = folder / "t.json";
    const ProgramResult result = require_done(stencilscope(kSmall + "--quiet --json {}", json));
    REQUIRE(result.out.empty());
    REQUIRE(result.err.empty());
    REQUIRE(read_json(json).at("steps") == 25);
}

TEST_CASE("A folder that cannot be written is refused before any work") {
    const ScratchFolder folder;
    std::ofstream(folder / "file") << "in the way";
    require_refused(stencilscope(kSmall + "--out {}", folder / "file"), 2, "--out");
    REQUIRE(read_bytes(folder / "file") == "in the way");
    // Even root cannot create files there.
    require_refused(stencilscope(kSmall + "--out /proc"), 2, "cannot be written");
    require_refused(stencilscope(kSmall + "--out /proc/here"), 2, "cannot make this folder");
    require_refused(stencilscope(kSmall + "--json /proc/t.json"), 2, "--json: this file cannot be written");
}

TEST_CASE("A full disk is one line and status 1, and older files stay whole") {
    const ScratchFolder folder;
    require_done(stencilscope(kSmall + "--out {} --quiet", folder.path()));
    const std::string field = read_bytes(folder / "field.npy");
    const Words files = names_in(folder.path());
    const ProgramResult result =
        run_program(words(kSmall + "--out {} --quiet --seed 5", folder.path()), {.file_size_limit = 3000});
    require_refused(result, 1, "initial.npy");
    REQUIRE(names_in(folder.path()) == files);
    REQUIRE(read_bytes(folder / "field.npy") == field);
}

TEST_CASE("Files for other programs are whole or not there when the disk is full") {
    const ScratchFolder folder;
    for (const char* file : {"field.vti", "field.h5"}) {
        const auto wanted = words(kSmall + "--out {} --quiet --export {}", folder.path(), file);
        const ProgramResult result = run_program(wanted, {.file_size_limit = 3000});
        require_refused(result, 1, fmt::format("{}: File too large", file));
        REQUIRE(names_in(folder.path()).empty());
        require_done(run_program(wanted));
        std::filesystem::remove(folder / file);
    }
}

TEST_CASE("Ctrl-C exports what there is, with status 130") {
    const ScratchFolder folder;
    const ProgramResult result = run_program(words("run --backend cpu --size 300 --steps 1000000000 --every "
                                                   "5000 --export default,frames.npy --out {} --quiet",
                                                   folder.path()),
                                             {.interrupt_once = folder / "frames/field_0000005000.npy"});
    INFO(result.err);
    REQUIRE(result.status == 130);
    REQUIRE(contains(result.err, "interrupted after"));
    const auto t = read_json(folder / "timings.json");
    const long long steps = t.at("steps");
    REQUIRE(steps > 0);
    REQUIRE(steps < 1000000000);
    REQUIRE(t.at("interrupted") == true);
    REQUIRE(read_json(folder / "spec.json").at("steps") == steps);
    REQUIRE(names_in(folder.path()).size() == 9);
    REQUIRE(relative_error(read_npy(folder / "field.npy"), read_npy(folder / "initial.npy")) > 1e-3);
}

TEST_CASE("Ctrl-C while the start is made ends the program at once, and leaves no file") {
    const ScratchFolder folder;
    const ProgramResult result = run_program(
        words("run --backend cpu --size 1x10000019 --initial jagged --steps 1 --out {}", folder.path()),
        {.interrupt_after = 0.2});
    CAPTURE(result.out, result.err);
    REQUIRE(result.status == 130);
    REQUIRE_FALSE(contains(result.err, "interrupted after"));
    REQUIRE(names_in(folder.path()).empty());
}

TEST_CASE("A run whose field overflows stops there with status 1, and keeps what it computed") {
    const ScratchFolder folder;
    const std::string line =
        kSmall + "--coefficient 0.5 --allow-unstable --steps 2000 --every 20 --out {} --quiet --processes ";
    for (const char* processes : {"1", "2"}) {
        const ProgramResult result = stencilscope(line + processes, folder.path());
        CHECK(result.status == 1);
        const auto t = read_json(folder / "timings.json");
        const long long step = t.at("steps");
        CHECK(contains(result.err, fmt::format("is not finite at step {};", step)));
        CHECK(contains(result.err, "--allow-overflow"));
        CHECK(t.at("ended_by") == "not finite");
        CHECK(step > 20);
        CHECK(step < 2000);
        CHECK(names_in(folder / "frames").size() == std::size_t((step - 1) / 20 + 1));
    }
}

TEST_CASE("Runs end at a time or by a condition, with frames and checkpoints in time") {
    const ScratchFolder folder;
    const std::string run =
        "run --quiet --backend cpu --size 16 --dt 0.03 --export field.npy,frames.npy,spec.json,"
        "timings.json --equation du/dt=lap(u)-u;u(0)=1+sin(x) ";
    require_done(stencilscope(run + "--time 1 --every 0.25t --checkpoint 0.4t --out {}", folder / "whole"));
    const auto whole = read_json(folder / "whole/timings.json");
    require_members(whole, {{"steps", 34}, {"ended_by", "time"}, {"interrupted", false}, {"time", 1.0}});
    CHECK(names_in(folder / "whole/frames") ==
          words("field_000000000.npy field_000000009.npy field_000000017.npy field_000000025.npy "
                "field_000000034.npy"));
    // The checkpoint is of step 27, t = 0.81.
    require_done(stencilscope("run --quiet --resume {} --out {}", folder / "whole", folder / "resumed"));
    require_done(stencilscope(
        "run --quiet --spec {} --every 0.25t --out {}", folder / "whole/spec.json", folder / "again"));
    for (const char* other : {"resumed", "again"})
        CHECK(read_json(folder / other / "timings.json").at("field_hash") == whole.at("field_hash"));
    require_done(stencilscope(
        run + "--until {} --every 1000 --checkpoint 0.001s --out {}", "max(u)<0.5", folder / "until"));
    const auto until = read_json(folder / "until/timings.json");
    CHECK(until.at("ended_by") == "until");
    CHECK(until.at("steps_asked").is_null());
    CHECK(fs::exists(folder / "until/checkpoint"));
    require_refused(
        stencilscope(run + "--every 9 --until u<1 --out {}", folder / "none"), 2, "from cell to cell");
    require_refused(stencilscope(run + "--every 10min --out {}", folder / "none"), 2, "0.5t");
}

TEST_CASE("Unstable coefficients run when asked to, and say what became of the field") {
    const ScratchFolder folder;
    const ProgramResult result = require_done(run_program(
        words(kSmall + "--coefficient 0.5 --allow-unstable --allow-overflow --steps 2000 --out {} --quiet",
              folder.path())));
    REQUIRE(contains(result.err, "above the stability limit"));
    REQUIRE(contains(result.err, "no longer finite"));
    REQUIRE(read_json(folder / "timings.json").at("field_at_end").at("not_finite").get<int>() > 0);
}

TEST_CASE("The coefficient 0.25 gets a notice of one line") {
    const ProgramResult result = require_done(stencilscope(kSmall + "--coefficient 0.25 --quiet"));
    REQUIRE(contains(result.err, "checkerboard"));
    REQUIRE(std::ranges::count(result.err, '\n') == 1);
}

TEST_CASE("devices shows the machine, on paper and as JSON") {
    const ScratchFolder folder;
    const ProgramResult result = require_done(stencilscope("devices --json {}", folder / "devices.json"));
    REQUIRE(contains(result.out, "CPU"));
    const auto devices = read_json(folder / "devices.json");
    REQUIRE(devices.at("cpu").at("copy_gb_per_s").get<double>() > 0.1);
    REQUIRE(devices.at("cpu").at("threads").get<int>() >= 1);
    REQUIRE(devices.at("cuda").contains("built_in"));
    const std::size_t gpus = devices.at("gpus").size();
    REQUIRE(devices.at("links").size() == (gpus > 1 ? gpus * (gpus - 1) : 0));
}
