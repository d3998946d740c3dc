// The runs of a sweep are shared by several processes, which write the files of one.
#include <csignal>
#include <thread>

#include "sim/machine/child_process.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/ranks.h"

namespace fs = std::filesystem;

namespace {

const std::string kSweep = "sweep --backend cpu --threads 1 --size 24x16 --quiet --export all --out {} ";

// The files of a sweep but for runs.jsonl, whose lines stand in the order in which runs ended.
Files swept_files(const fs::path& out) {
    return files_below(out, [](const std::string& path) { return path != "runs.jsonl"; });
}

// Sweeps by one process and by several.
void require_equal_sweeps(const std::string& line, int processes) {
    CAPTURE(line, processes);
    const ScratchFolder folder;
    const auto sweep = [&](int by) {
        const fs::path json = folder / (std::to_string(by) + ".json");
        const auto result = require_done(
            stencilscope(kSweep + line + " --json {} --processes {}", folder / std::to_string(by), json, by));
        auto report = read_json(json);
        REQUIRE(report.erase("seconds") == 1);
        return std::pair{result.err, report};
    };
    REQUIRE(sweep(processes) == sweep(1));
    REQUIRE(swept_files(folder / "1").size() >= 6);
    require_same_files(swept_files(folder / "1"), swept_files(folder / std::to_string(processes)));
    REQUIRE(lines_of(folder / "1" / "runs.jsonl").size() ==
            lines_of(folder / std::to_string(processes) / "runs.jsonl").size());
}

}  // namespace

TEST_CASE("Any number of processes makes the files of a sweep by one") {
    const std::string grid =
        "--model gray-scott --steps 300 --show u*v --observe mean(v) --vary F=0.02:0.06:3 --vary "
        "K=0.05,0.06 ";
    require_equal_sweeps(grid, 2);
    require_equal_sweeps(grid + "--map mean(u*v) --dtype float64", 3);
    // More processes than runs, and runs of different length.
    require_equal_sweeps("--initial noise --vary steps=0,900", 4);
    require_equal_sweeps(
        "--model gray-scott --steps 2000 --until min(u)<0.5 --vary seed=1:5:5 --vary F=0.01,0.06", 3);
}

TEST_CASE("Processes that share a sweep tell which runs overflow, are unstable or cannot be") {
    require_equal_sweeps("--equation du/dt=K*u^2;u(0)=1;K=1;dt=0.1 --steps 50 --vary K=0,9,1,8", 3);
    require_equal_sweeps(
        "--initial noise --steps 20 --vary coefficient=0.1,3,0.2 --vary boundary=zero,periodic", 2);
    require_equal_sweeps("--steps 5 --vary initial=noise,/none.npy,disk", 2);
}

TEST_CASE("Processes that share a sweep divide the memory of their host") {
    const ScratchFolder folder;
    const auto refused = stencilscope(
        "sweep --backend cpu --size 4000 --vary coefficient=0.1,0.2 --memory-limit 150M --processes 2");
    require_refused(refused, 1, "75.0 MB is free");
}

TEST_CASE("Processes share a list of runs") {
    const ScratchFolder folder;
    const fs::path list =
        write_bytes(folder / "runs.csv", "seed,coefficient\n7,0.1\n8,0.2\n9,0.05\n5,0.01\n");
    require_equal_sweeps("--initial noise --steps 9 --vary " + list.string(), 2);
}

TEST_CASE("A sweep of several processes that was cut goes on by any number of them, to the same files") {
    const ScratchFolder folder;
    const fs::path cut = folder / "cut", whole = folder / "whole";
    const std::string line =
        kSweep + "--model gray-scott --steps 20000 --vary F=0.02:0.06:4 --vary K=0.05,0.055,0.06 ";
    require_done(stencilscope(line, whole));
    for (const int signal : {SIGINT, SIGTERM}) {
        CAPTURE(signal);
        const auto first =
            run_program(words(line + "--processes 3", cut),
                        {.interrupt_once = cut / "runs.jsonl", .signal = signal, .seconds = 120});
        if (first.status != 0) {  // on a quick machine it may have been done
            REQUIRE(first.status == 128 + signal);
            REQUIRE(contains(first.err, "the same command goes on"));
            REQUIRE(fs::exists(cut / "sweep.csv"));
        }
        require_done(stencilscope(line + (signal == SIGINT ? "--processes 2" : ""), cut));
        require_same_files(swept_files(cut), swept_files(whole));
        fs::remove_all(cut);
    }
}

TEST_CASE("A process of a sweep that dies ends the others, and the same command goes on") {
    const ScratchFolder folder;
    const fs::path cut = folder / "cut", whole = folder / "whole";
    const std::string line =
        kSweep + "--model gray-scott --steps 20000 --vary F=0.02:0.06:4 --vary K=0.05,0.055,0.06 ";
    std::jthread killing([&] {
        while (!fs::exists(cut / "runs.jsonl")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(process_of_rank(1, folder.path()), SIGKILL);
    });
    const auto ended = run_program(words(line + "--processes 3", cut), {.seconds = 120});
    REQUIRE(ended.status == 128 + SIGKILL);
    require_done(stencilscope(line + "--processes 2", cut));
    require_done(stencilscope(line, whole));
    require_same_files(swept_files(cut), swept_files(whole));
}

TEST_CASE("What process 0 of a sweep reads from a pipe is known to all processes") {
    const ScratchFolder folder;
    require_done(stencilscope(
        "run --quiet --size 24x16 --initial noise --steps 0 --export field.npy --out {}", folder / "start"));
    for (const int processes : {1, 2}) {
        ChildCommand command;
        command.words =
            words("{} " + kSweep + "--initial - --steps 9 --vary coefficient=0.1,0.2 --processes {}",
                  std::string(program_file()),
                  folder / std::to_string(processes),
                  processes);
        command.input = read_bytes(folder / "start" / "field.npy");
        command.limit_seconds = 60;
        command.is_tool = true;
        const ChildEnd end = run_child(command, [](std::string_view) {});
        REQUIRE(end.how == ChildEnd::How::exited);
        REQUIRE(end.code == 0);
    }
    require_same_files(swept_files(folder / "1"), swept_files(folder / "2"));
}
