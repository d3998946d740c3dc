// Interrupting and resuming runs.

#include <algorithm>
#include <chrono>
#include <map>

#include "sim/files/folder.h"
#include "sim/files/npy.h"
#include "sim/text/json.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

using namespace stencil_test;
namespace fs = std::filesystem;

namespace {

// Takes some hundred milliseconds, with edits, frames and tables.
const std::string kResumable =
    "run --backend cpu --method cpu --size 160x120 --threads 2 --initial noise --steps 3000 --every 300 "
    "--range symlog --colormap magma_r --probe 80,60 --at 700:coefficient=0.137 --at "
    "1500:paint=0.5,9,add,40,40 --boundary insulated "
    "--export default,statistics.csv,probes.csv,frames.npy,frames.png,frames.vti,frames.h5 --quiet "
    "--checkpoint 100 --out {} ";

// Returns all files whose bytes do not depend on timing, by name.
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
    const ScratchFolder folder;
    const fs::path uncut = folder / "uncut", cut = folder / "cut";
    const auto start = std::chrono::steady_clock::now();
    require_done(stencilscope(kResumable, uncut));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto line = [&] {
        const bool begun = fs::exists(cut / "checkpoint") || fs::exists(cut / "checkpoint.last");
        return words(begun ? "run --quiet --resume {}" : kResumable, cut);
    };
    int kills = 0;
    for (int i = 0; i < 8; ++i) {
        // A share of the measured duration, which includes the cost of sanitizers.
        const double after = std::max(0.01, seconds * dice.uniform(0.05, 0.5));
        const ProgramResult result = run_program(line(), {.interrupt_after = after, .signal = SIGKILL});
        INFO(result.err);
        REQUIRE((result.status == 0 || result.status == 128 + SIGKILL));
        if (result.status == 0) break;
        ++kills;
    }
    WARN(kills << " kills");
    if (!fs::exists(cut / "timings.json")) require_done(run_program(line()));
    require_same_results(uncut, cut);
    REQUIRE(hash_in(cut) == hash_in(uncut));
}

TEST_CASE("An interrupted run goes on where it was, also into another folder and to a later end") {
    const ScratchFolder folder;
    const fs::path first = folder / "first", whole = folder / "whole", longer = folder / "longer";
    const std::string seldom = kResumable + "--every 10000 --checkpoint 2000 ";
    const ProgramResult interrupted =
        run_program(words(seldom + "--steps 1000000", first), {.interrupt_once = first / "checkpoint"});
    REQUIRE(interrupted.status == 130);
    const long long at =
        nlohmann::json::parse(read_bytes(first / "timings.json")).at("steps").get<long long>();
    REQUIRE(at > 0);
    const std::string steps = std::to_string(at + 700);
    const ProgramResult resumed =
        require_done(stencilscope("run --resume {} --steps {} --out {} --threads 1", first, steps, longer));
    REQUIRE(contains(resumed.err, std::to_string(at)));
    require_done(stencilscope(seldom + "--steps {}", whole, steps));
    REQUIRE(hash_in(longer) == hash_in(whole));
    REQUIRE(read_bytes(longer / "statistics.csv") == read_bytes(whole / "statistics.csv"));
    REQUIRE(read_bytes(longer / "probes.csv") == read_bytes(whole / "probes.csv"));
}

TEST_CASE("What cannot be resumed is refused in one line") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const auto resume = [&](const std::string& more) { return stencilscope("run --resume {} " + more, out); };
    require_refused(resume(""), 2, "no checkpoint");
    require_done(stencilscope(
        "run --size 20x20 --steps 30 --checkpoint 10 --quiet --export field.npy,spec.json --out {}", out));
    require_refused(resume("--coefficient 0.1"), 2, "--coefficient");
    require_refused(resume("--size 30x30"), 2, "--size");
    require_refused(resume("--steps 10"), 2, "step 30");
    require_refused(stencilscope("run --resume {} --spec {}", out, out / "spec.json"), 2, "--spec");
    require_refused(stencilscope("run --resume {}", ""), 2, "--resume");
    require_refused(stencilscope("run --checkpoint 10"), 2, "--out");
    require_done(resume("--quiet"));
    const fs::path field = out / "checkpoint/field-u.npy";
    write_bytes(field, read_bytes(field).substr(0, 500));
    require_refused(resume(""), 2, "field-u.npy");
}

TEST_CASE("One run at a time writes into a folder, and the next one is told") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const std::string run = "run --backend cpu --size 20 --steps 40 --checkpoint 10 --quiet --out {}";
    require_done(stencilscope(run, out));
    {
        const stencil::Descriptor lock = stencil::lock_folder(out, "--out");
        require_refused(stencilscope(run, out), 2, "another run");
        require_refused(stencilscope("run --quiet --resume {} --steps 50", out), 2, "another run");
        require_done(stencilscope(run, folder / "other"));
    }
    // A killed run leaves no lock.
    const std::string endless =
        "run --backend cpu --size 200 --steps 100000000 --checkpoint 10 --quiet --out {}";
    run_program(words(endless, folder / "killed"),
                {.interrupt_once = folder / "killed/checkpoint", .signal = SIGKILL});
    require_done(stencilscope(run, folder / "killed"));
    require_done(stencilscope("run --quiet --resume {} --steps 50", out));
}

TEST_CASE("A new run leaves no checkpoint of an older one in its folder") {
    const ScratchFolder folder;
    const fs::path out = folder / "out", other = folder / "other";
    const std::string run = "run --backend cpu --size 20 --steps 40 --quiet --out {}";
    require_done(stencilscope(run + " --checkpoint 10", out));
    require_done(stencilscope(run + " --checkpoint 20", other));
    require_done(stencilscope("run --quiet --resume {} --steps 41 --out {}", out, other));
    require_done(stencilscope(run, out));
    for (const fs::path& left : {out, other})
        require_refused(stencilscope("run --quiet --resume {}", left), 2, "there is no checkpoint");
}

TEST_CASE("What a run cannot take up in its middle is refused, sensitivities too") {
    const ScratchFolder folder;
    require_done(stencilscope(
        "run --backend cpu --model gray-scott --size 20 --steps 4 --checkpoint 2 --quiet --out {}",
        folder.path()));
    require_refused(stencilscope("run --quiet --resume {} --sensitivity F", folder.path()), 2, "contradicts");
}

TEST_CASE("A run whose terminal is closed, or that is told to end, writes what was done") {
    const int signal = GENERATE(SIGHUP, SIGTERM, SIGINT);
    const ScratchFolder folder;
    const ProgramResult result =
        run_program(words("run --backend cpu --size 200 --steps 100000000 --checkpoint 100 --quiet --out {}",
                          folder.path()),
                    {.interrupt_once = folder / "checkpoint", .signal = signal});
    INFO(result.err);
    REQUIRE(result.status == 128 + signal);
    REQUIRE(read_json(folder / "timings.json").at("steps") > 0);
}
