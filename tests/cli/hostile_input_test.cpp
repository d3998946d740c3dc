// Invalid input, unwritable output, and concurrent use of a folder.

#include <sys/stat.h>

#include "sim/files/npy.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using stencil::Field;
using stencil::read_npy;
using stencil::split;
using stencil::write_npy;
namespace fs = std::filesystem;

namespace {

const std::string kTiny = "run --backend cpu --size 8x6 --steps 5 --threads 1 --initial noise ";

constexpr const char* kFullDisk = "/dev/full";  // every write to it fails

}  // namespace

TEST_CASE("A spec is read from files alone: no pipe, no device, no folder") {
    const ScratchFolder folder;
    const auto refused = [&](const std::string& spec, const char* part) {
        INFO(spec);
        require_refused(run_program(words("run --spec {}", spec), {.seconds = 20}), 2, part);
    };
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    refused((folder / "pipe").string(), "not a regular file");
    refused("/dev/zero", "not a regular file");
    refused(folder.path().string(), "folder");
    refused(write_bytes(folder / "twice.json", R"({"steps": 3, "size": "4", "steps": 5})").string(),
            "'steps'");
    refused(write_bytes(folder / "nan.json", R"({"profile": "-1e308,0,1e308,0"})").string(), "--profile");
}

TEST_CASE("What a file holds reaches messages without control characters, and not all of it") {
    const ScratchFolder folder;
    const auto refusal = [&](const std::string& json) {
        const auto spec = write_bytes(folder / "spec.json", json).string();
        const ProgramResult result = run_program(words("run --spec {}", spec), {.seconds = 30});
        require_refused(result, 2, "");
        CHECK(result.err.find('\x1b') == std::string::npos);
        CHECK(result.err.find('\0') == std::string::npos);
        CHECK(result.err.size() < 2000);
    };
    refusal("{\"\\u001b[31mRED\": 1}");
    refusal("{\"size\": \"8\\u0000\\u001b[2J\"}");
    refusal("{\"initial\": \"\\u001b[31mred.npy\"}");
    refusal("{\"initial\": \"gaussian:\\u001b[31mred=1\"}");
    refusal("{\"" + std::string(5'000'000, 'k') + "\": 1}");
}

TEST_CASE("A file whose name is not UTF-8 is refused before the first step") {
    const ScratchFolder folder;
    const auto file = folder / "bad\xff.npy";
    write_npy(file, random_field(8, 6));
    const ProgramResult result = stencilscope("run --initial {} --out {}", file, folder / "out");
    require_refused(result, 2, "UTF-8");
    CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("Every moment that was measured is a row, however many there are") {
    const ScratchFolder folder;
    require_done(stencilscope(kTiny + "--quiet --steps 1100 --every 1 --probe 1,1 --probe 2,3 --export "
                                      "statistics.csv,probes.csv --out {}",
                              folder / "out"));
    const auto statistics = lines_of(folder / "out" / "statistics.csv");
    REQUIRE(statistics.size() == 1 + 1101);
    for (std::size_t i = 0; i <= 1100; ++i)
        REQUIRE(split(statistics[i + 1], ',').front() == std::to_string(i));
    REQUIRE(lines_of(folder / "out" / "probes.csv").size() == 1 + 2 * 1101);
}

TEST_CASE("A field without a finite cell has no least and no largest value") {
    const ScratchFolder folder;
    require_done(stencilscope(kTiny + "--coefficient 1e30 --allow-unstable --allow-overflow --steps 40 "
                                      "--export statistics.csv,timings.json --out {}",
                              folder / "out"));
    const auto last = split(lines_of(folder / "out" / "statistics.csv").back(), ',');
    REQUIRE(last.back() == "48");
    for (const std::size_t column : {2, 3, 4, 5}) CHECK(contains(last.at(column), "nan"));
    const auto timings = read_json(folder / "out" / "timings.json");
    CHECK(timings.at("field_at_end").at("max").is_null());
}

TEST_CASE("Notes that cannot be written are dropped, and the run goes on") {
    const ScratchFolder folder;
    for (const char* err : {"", kFullDisk}) {
        const auto line = words(kTiny + "--coefficient 0.25 --export field.npy --out {}", folder / "out");
        INFO("standard error: '" << err << "'");
        REQUIRE(run_program(line, {.err = err}).status == 0);
        REQUIRE(read_npy(folder / "out/field.npy").nx() == 8);
        CHECK_FALSE(contains(read_bytes(folder / "out/field.npy"), "note"));
        CHECK(run_program(words("run --size 0"), {.err = err}).status == 2);
    }
}

TEST_CASE("Output that did not arrive is a failure") {
    for (const char* out : {kFullDisk, ""}) {
        INFO("standard output: '" << out << "'");
        for (const Words& line :
             {words("--version"), words("run --help"), words("example --list"), words(kTiny)}) {
            const auto result = run_program(line, {.out = out});
            INFO(line.front() << ": " << result.err);
            CHECK(result.status == 1);
            CHECK(contains(result.err, "standard output"));
        }
        require_done(run_program(words(kTiny + "--quiet"), {.out = out}));
    }
}

TEST_CASE("The file of --json replaces neither what is read nor another result") {
    const ScratchFolder folder;
    const auto initial = folder / "a.npy", link = folder / "link.json", out = folder / "out";
    write_npy(initial, random_field(8, 6));
    const std::string before = read_bytes(initial);
    const auto spec = write_bytes(folder / "spec.json", R"({"steps": 2})");
    fs::create_symlink(initial, link);
    const auto refused = [&](const Words& words, const char* part) {
        INFO(words.back());
        require_refused(run_program(words), 2, part);
    };
    refused(words("run --initial {} --json {}", initial, initial), "--json");
    refused(words("run --initial {} --json {}", initial, link), "--json");
    refused(words(kTiny + "--spec {} --json {}", spec, spec), "--json");
    fs::create_directory(out);
    refused(words(kTiny + "--out {} --json {}", out, out / "field.npy"), "--json");
    refused(words(kTiny + "--out {} --json {}", out / "", out / "../out/spec.json"), "--json");
    refused(words("example einsum --subscripts ij->i --operand {} --json {}", initial, initial), "--json");
    CHECK(read_bytes(initial) == before);
    require_done(stencilscope(kTiny + "--out {} --json {}", out, out / "mine.json"));
}

TEST_CASE("Threads far beyond the machine's are not started") {
    const auto result = require_done(run_program(words(kTiny + "--quiet --threads 4096"), {.seconds = 60}));
    CHECK(contains(result.err, "--threads 4096"));
}

TEST_CASE("A folder called probe in the output folder is no obstacle") {
    const ScratchFolder folder;
    fs::create_directories(folder / "out" / "probe");
    require_done(stencilscope(kTiny + "--quiet --export field.npy --out {}", folder / "out"));
}

TEST_CASE("A file that cannot be written is told before the first step") {
    const ScratchFolder folder;
    fs::create_directories(folder / "out" / "field.npy");
    const auto run = [&](const std::string& more) {
        return stencilscope(kTiny + "--quiet --export initial.npy,field.npy --out {}" + more, folder / "out");
    };
    require_refused(run(" --steps 1e9"), 2, "field.npy");
    CHECK_FALSE(fs::exists(folder / "out" / "initial.npy"));
}

TEST_CASE("Results follow no link of their folder") {
    const ScratchFolder folder;
    const fs::path out = folder / "out", home = folder / "home";
    const std::string mine = "mine";
    const auto link_all = [&] {
        fs::create_directory(home);
        for (const char* name :
             {"spec.json", "field.npy", "timings.json", "figure.png", "field.vti", "statistics.csv"}) {
            write_bytes(home / name, mine);
            fs::remove(out / name);
            fs::create_symlink(fs::path("../home") / name, out / name);
        }
    };
    const auto check = [&] {
        for (const auto& entry : fs::directory_iterator(home)) CHECK(read_bytes(entry.path()) == mine);
        for (const auto& entry : fs::directory_iterator(out)) CHECK_FALSE(fs::is_symlink(entry));
    };
    fs::create_directory(out);
    link_all();
    const std::string exports =
        "--quiet --replace --checkpoint 5 --export spec,field.npy,timings,figure.png,field.vti,statistics "
        "--out {} ";
    require_done(stencilscope(kTiny + exports, out));
    check();
    link_all();
    require_done(stencilscope("run --quiet --threads 1 --resume {} --steps 9", out));
    check();

    // A folder of results that is a link: the checkpoint's is replaced, the frames' is refused, and stays as
    // it is.
    fs::rename(out / "checkpoint", home / "checkpoint");
    fs::create_directory_symlink("../home/checkpoint", out / "checkpoint");
    const std::string before = read_bytes(home / "checkpoint" / "run.json");
    require_done(stencilscope("run --quiet --threads 1 --resume {} --steps 15", out));
    CHECK(read_bytes(home / "checkpoint" / "run.json") == before);
    CHECK_FALSE(fs::is_symlink(out / "checkpoint"));
    write_bytes(home / "field_000005.npy", mine);
    fs::create_directory_symlink("../home", out / "frames");
    require_refused(
        stencilscope(kTiny + "--replace --every 5 --export frames.npy --out {}", out), 2, "frames");
    require_done(stencilscope(kTiny + "--quiet --replace --export field.npy --out {}", out));
    CHECK(read_bytes(home / "field_000005.npy") == mine);
}

TEST_CASE("Results as JSON go to standard output, and what else is printed beside it") {
    const ScratchFolder folder;
    const auto out = folder / "out.json";
    for (const std::string& line : {kTiny + "--json /dev/stdout",
                                    kTiny + "--json /proc/self/fd/1",
                                    std::string("devices --json /dev/stdout")}) {
        INFO(line);
        const ProgramResult piped = require_done(run_program(words(line)));
        CHECK(nlohmann::json::accept(piped.out));
        CHECK_FALSE(piped.err.empty());
        write_bytes(out, "");
        require_done(run_program(words(line), {.out = out.c_str()}));
        CHECK(nlohmann::json::accept(read_bytes(out)));
    }
    CHECK(fs::is_symlink("/dev/stdout"));
    const ProgramResult lost = stencilscope(kTiny + "--quiet --json /dev/full");
    require_refused(lost, 1, "/dev/full");
}

TEST_CASE("A program that was started with interrupts ignored ignores them") {
    const auto result = run_program(words(kTiny + "--size 300 --steps 1100 --method reference --quiet"),
                                    {.interrupt_after = 0.05, .ignores_interrupts = true});
    CHECK(result.status == 0);
}

TEST_CASE("Changes beyond the last step are told") {
    const auto result = require_done(stencilscope(kTiny + "--quiet --at 500:coefficient=0.1"));
    CHECK(contains(result.err, "--at"));
    CHECK(stencilscope(kTiny + "--quiet --at 5:coefficient=0.1").err.empty());
}

TEST_CASE("Frames are pictures where all is exported, whatever else is named") {
    const ScratchFolder folder;
    for (const char* list : {"all", "all,frames.npy"}) {
        const fs::path frames = folder / list / "frames";
        require_done(stencilscope(kTiny + "--every 5 --export {} --out {}", list, folder / list));
        CHECK(fs::exists(frames / "field_000005.png"));
        CHECK(fs::exists(frames / "field_000005.npy") == contains(list, "npy"));
    }
}

TEST_CASE("A damaged picture is refused before a folder is made") {
    const ScratchFolder folder;
    const std::string whole = read_bytes(reference_file("palette_20x12.png"));
    const auto file = write_bytes(folder / "cut.png", whole.substr(0, whole.size() - 20));
    require_refused(stencilscope("run --initial {} --out {}", file, folder / "out"), 2, "cut off");
    CHECK_FALSE(fs::exists(folder / "out"));
}
