// Runs that are cut and go on.

#include <map>
#include <nlohmann/json.hpp>

#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

using namespace stencil_test;
namespace fs = std::filesystem;

namespace {

// Some hundred milliseconds, with edits, frames and tables.
std::vector<std::string> long_run(const fs::path& out, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run",
                                   "--backend",
                                   "cpu",
                                   "--method",
                                   "cpu",
                                   "--size",
                                   "160x120",
                                   "--threads",
                                   "2",
                                   "--initial",
                                   "noise",
                                   "--steps",
                                   "3000",
                                   "--every",
                                   "300",
                                   "--probe",
                                   "80,60",
                                   "--at",
                                   "700:coefficient=0.137",
                                   "--at",
                                   "1500:paint=0.5,9,add,40,40",
                                   "--boundary",
                                   "insulated",
                                   "--export",
                                   "default,statistics.csv,probes.csv,frames.npy,frames.png",
                                   "--quiet",
                                   "--checkpoint",
                                   "100",
                                   "--out",
                                   out.string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// All files whose bytes a run decides, by their names.
std::map<std::string, std::string> results_in(const fs::path& out) {
    std::map<std::string, std::string> results;
    for (const char* name :
         {"field.npy", "initial.npy", "laplacian.npy", "field.png", "statistics.csv", "probes.csv"})
        results[name] = read_bytes(out / name);
    for (const auto& entry : fs::directory_iterator(out / "frames"))
        results[entry.path().filename().string()] = read_bytes(entry.path());
    return results;
}

void require_same_results(const fs::path& a, const fs::path& b) {
    const auto first = results_in(a), second = results_in(b);
    REQUIRE(first.size() == second.size());
    for (const auto& [name, bytes] : first) {
        INFO(name);
        REQUIRE(second.contains(name));
        REQUIRE_FALSE(bytes.empty());
        REQUIRE(second.at(name) == bytes);
    }
}

std::string hash_in(const fs::path& out) {
    return nlohmann::json::parse(read_bytes(out / "timings.json")).at("field_hash");
}

}  // namespace

TEST_CASE("A run killed at random moments and resumed each time ends with the bits of one never cut") {
    Dice dice;
    CAPTURE(dice.seed);
    const ScratchFolder folder;
    const fs::path uncut = folder / "uncut", cut = folder / "cut";
    REQUIRE(run_program(long_run(uncut)).status == 0);
    int kills = 0;
    for (int i = 0; i < 25; ++i) {
        const bool begun = fs::exists(cut / "checkpoint") || fs::exists(cut / "checkpoint.last");
        const std::vector<std::string> words =
            begun ? std::vector<std::string>{"run", "--quiet", "--resume", cut.string()} : long_run(cut);
        const ProgramResult result =
            run_program(words, {.interrupt_after_ms = dice.integer(20, 250), .signal = SIGKILL});
        INFO(result.err);
        REQUIRE((result.status == 0 || result.status == 128 + SIGKILL));
        if (result.status == 0) break;
        ++kills;
    }
    WARN(kills << " kills");
    if (!fs::exists(cut / "timings.json"))
        REQUIRE(run_program({"run", "--quiet", "--resume", cut.string()}).status == 0);
    require_same_results(uncut, cut);
    REQUIRE(hash_in(cut) == hash_in(uncut));
}

TEST_CASE("An interrupted run goes on where it was, also into another folder and to a later end") {
    const ScratchFolder folder;
    const fs::path first = folder / "first", whole = folder / "whole", longer = folder / "longer";
    const ProgramResult interrupted =
        run_program(long_run(first, {"--steps", "1000000"}), {.interrupt_after_ms = 300});
    REQUIRE(interrupted.status == 130);
    const long long at =
        nlohmann::json::parse(read_bytes(first / "timings.json")).at("steps").get<long long>();
    REQUIRE(at > 0);
    const std::string steps = std::to_string(at + 700);
    const ProgramResult resumed = run_program(
        {"run", "--resume", first.string(), "--steps", steps, "--out", longer.string(), "--threads", "1"});
    INFO(resumed.err);
    REQUIRE(resumed.status == 0);
    REQUIRE(contains(resumed.err, std::to_string(at)));
    REQUIRE(run_program(long_run(whole, {"--steps", steps})).status == 0);
    REQUIRE(hash_in(longer) == hash_in(whole));
    REQUIRE(read_bytes(longer / "statistics.csv") == read_bytes(whole / "statistics.csv"));
    REQUIRE(read_bytes(longer / "probes.csv") == read_bytes(whole / "probes.csv"));
}

TEST_CASE("What cannot be resumed is refused in one line") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const auto resume = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"run", "--resume", out.string()};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    };
    require_refused(resume({}), 2, "no checkpoint");
    REQUIRE(run_program(
                {"run", "--size", "20x20", "--steps", "30", "--checkpoint", "10", "--quiet", "--out", out})
                .status == 0);
    require_refused(resume({"--coefficient", "0.1"}), 2, "--coefficient");
    require_refused(resume({"--size", "30x30"}), 2, "--size");
    require_refused(resume({"--steps", "10"}), 2, "step 30");
    require_refused(resume({"--spec", (out / "spec.json").string()}), 2, "--spec");
    require_refused(run_program({"run", "--resume", ""}), 2, "--resume");
    require_refused(run_program({"run", "--checkpoint", "10"}), 2, "--out");
    REQUIRE(resume({"--quiet"}).status == 0);
    const fs::path field = out / "checkpoint/field-u.npy";
    write_bytes(field, read_bytes(field).substr(0, 500));
    require_refused(resume({}), 2, "field-u.npy");
    // A new run makes a new beginning.
    REQUIRE(
        run_program({"run", "--size", "20x20", "--steps", "5", "--checkpoint", "10", "--quiet", "--out", out})
            .status == 0);
    require_refused(resume({}), 2, "no checkpoint");
}

TEST_CASE("The hash of a field is the same for any number of threads, and another one for another step") {
    const ScratchFolder folder;
    const auto hash = [&](const char* threads, const char* steps) {
        const fs::path json = folder / "t.json";
        REQUIRE(run_program({"run",
                             "--backend",
                             "cpu",
                             "--size",
                             "50x40",
                             "--threads",
                             threads,
                             "--steps",
                             steps,
                             "--quiet",
                             "--json",
                             json.string()})
                    .status == 0);
        return nlohmann::json::parse(read_bytes(json)).at("field_hash").get<std::string>();
    };
    REQUIRE(hash("1", "20") == hash("2", "20"));
    REQUIRE(hash("1", "20") != hash("1", "21"));
}
