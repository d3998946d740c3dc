// Requires equal files from runs by one process and by several.
#pragma once

#include <map>

#include "sim/text/json.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

namespace stencil_test {

inline std::map<std::string, std::string> results_in(const std::filesystem::path& out) {
    std::map<std::string, std::string> results;
    for (const auto& entry : std::filesystem::directory_iterator(out)) {
        const std::string name = entry.path().filename().string();
        // timings.json has times, and statistics.csv differs in the last bits.
        if (name != "timings.json" && name != "statistics.csv" && entry.is_regular_file())
            results[name] = read_bytes(entry.path());
    }
    return results;
}

inline void require_same_files(const std::filesystem::path& a, const std::filesystem::path& b) {
    const auto first = results_in(a), second = results_in(b);
    REQUIRE(first.size() >= 3);
    REQUIRE(first.size() == second.size());
    for (const auto& [name, bytes] : first) {
        INFO(name);
        REQUIRE(second.contains(name));
        // Its paths differ.
        if (name != "spec.json") REQUIRE(second.at(name) == bytes);
    }
}

inline nlohmann::json timings_in(const std::filesystem::path& out) {
    return nlohmann::json::parse(read_bytes(out / "timings.json"));
}

// Runs the line by one process and by several.
inline void require_equal_runs(const std::string& line,
                               int processes,
                               int stepping,
                               const std::string& backend = "cpu") {
    CAPTURE(line, processes, backend);
    const ScratchFolder folder;
    const std::string run = "run --backend " + backend + " --threads 1 --quiet --out {} " + line;
    require_done(stencilscope(run, folder / "one"));
    require_done(stencilscope(run + " --processes {}", folder / "several", processes));
    require_same_files(folder / "one", folder / "several");
    const auto timings = timings_in(folder / "several");
    REQUIRE(timings.value("processes", 1) == stepping);
    REQUIRE(timings.at("field_hash") == timings_in(folder / "one").at("field_hash"));
}

// Runs to step 230 at once, and by three processes, then two, then one, each resuming from a checkpoint.
inline void require_same_when_cut(const std::string& line, int first_cut, int second_cut) {
    const ScratchFolder folder;
    const std::string run = "run --backend cpu --threads 1 --quiet --checkpoint 50 " + line;
    const std::string files = " --export field.npy,laplacian.npy,field.png,timings.json --out {} ";
    require_done(stencilscope(run + " --steps 230" + files, folder / "uncut"));
    require_done(stencilscope(run + " --processes 3 --steps {}" + files, first_cut, folder / "cut"));
    require_done(
        stencilscope("run --quiet --processes 2 --resume {} --steps {}", folder / "cut", second_cut));
    require_done(stencilscope("run --quiet --resume {} --steps 230", folder / "cut"));
    REQUIRE(read_bytes(folder / "cut" / "field.npy") == read_bytes(folder / "uncut" / "field.npy"));
}

inline const std::string kFiles =
    " --export field.npy,laplacian.npy,initial.npy,field.png,histogram.csv,profile.csv,probes.csv,"
    "timings.json --probe 3,100 --probe 33,57 --profile 1,2,30,205 ";

}  // namespace stencil_test
