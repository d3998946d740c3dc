#include "app/launch.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/console.h"
#include "sim/machine/child_process.h"
#include "sim/machine/communicator.h"
#include "sim/machine/machine.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr int kMostProcesses = 4096;
constexpr auto kPoll = std::chrono::milliseconds(10);

struct Asked {
    std::string_view option;
    int count;
};

std::optional<Asked> processes_asked(int argc, char** argv) {
    std::optional<Asked> asked;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        for (const std::string_view option : {"--gpus", "--processes"}) {
            if (!word.starts_with(option)) continue;
            const std::string_view rest = word.substr(option.size());
            std::string value;
            if (rest.starts_with("="))
                value = rest.substr(1);
            else if (rest.empty() && i + 1 < argc)
                value = argv[i + 1];
            else
                continue;
            asked = {option, int(parse_integer(value, option, 1, kMostProcesses))};
        }
    }
    return asked;
}

void require_gpus(const Asked& asked) {
    if (asked.option != "--gpus") return;
    const CudaStatus& cuda = query_cuda();
    const int there = int(cuda.devices.size());
    if (there == 0) throw InputError("--gpus needs CUDA, and {}", cuda.why_none);
    if (asked.count > there)
        throw InputError("--gpus {}: there {} {} here", asked.count, there == 1 ? "is" : "are", there);
}

volatile std::sig_atomic_t told = 0;
extern "C" void note_end_of_command(int signal) {
    told = signal;
}

// Reads the parent from /proc/PID/stat, "number (name) state parent ..."; the name may contain anything.
pid_t parent_of(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = text.rfind(") ");
    return name_end == std::string::npos ? 0 : std::atoi(text.c_str() + name_end + 4);
}

// Signals every process that mpirun started to stop, because mpirun itself would answer Ctrl-C by killing
// them within seconds. Some versions of mpirun forward SIGUSR1 and some do not, so signal the processes
// directly, and wake those that someone stopped. Returns false if none exists yet.
bool pass_on(pid_t launcher) {
    bool any = false;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
        const pid_t process = std::atoi(entry.path().filename().c_str());
        if (process <= 0 || parent_of(entry.path()) != launcher || kill(process, SIGUSR1) != 0) continue;
        kill(process, SIGCONT);
        any = true;
    }
    return any;
}

int run_launcher(std::vector<std::string> words) {
    const std::string program = find_program(words.front());
    if (program.empty()) throw MachineError("mpirun cannot be started: there is none (Debian: openmpi-bin)");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t launcher = fork();
    if (launcher < 0) throw MachineError("no process can be started: {}", std::strerror(errno));
    if (launcher == 0) {
        setsid();  // its own session, so that the terminal's Ctrl-C reaches only this process
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(program.c_str(), pointers.data());
        std::fprintf(stderr, "stencilscope: mpirun cannot be started: %s\n", std::strerror(errno));
        _exit(1);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})  // those that are ignored, as by nohup, stay so
        if (std::signal(signal, note_end_of_command) == SIG_IGN) std::signal(signal, SIG_IGN);
    int status = 0, ended_by = SIGINT;
    while (waitpid(launcher, &status, WNOHANG) == 0) {
        const int signal = told;
        if (signal != 0 && pass_on(launcher)) {
            ended_by = signal;
            told = 0;
        }
        std::this_thread::sleep_for(kPoll);
    }
    const int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // The processes take SIGUSR1 for SIGINT, or end by it before they can handle it.
    if (result == 128 + SIGUSR1 || result == 128 + SIGINT) return 128 + ended_by;
    if (result == 128 + SIGKILL || result == 128 + SIGSEGV || result == 128 + SIGABRT)
        note("stencilscope: one of the processes was ended by signal {}, and the others with it\n",
             result - 128);
    return result;
}

}  // namespace

void add_processes(CLI::App& command, std::string_view shared) {
    const std::string help =
        fmt::format("share {} among this many GPUs of this machine, a process each, by mpirun", shared);
    command.add_option("--gpus", help)->type_name("N")->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    command.add_option("--processes", "the same among processes on the CPU, each with --threads of its own")
        ->type_name("N")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::optional<int> launch_processes(int argc, char** argv) {
    const auto asked = processes_asked(argc, argv);
    if (!asked || asked->count == 1 || Communicator::was_launched()) return std::nullopt;
    require_gpus(*asked);
    if (!Communicator::is_built_in())
        throw InputError("{} needs MPI, and this build was made without it (Debian: libopenmpi-dev)",
                         asked->option);
    std::vector<std::string> words{"mpirun", "-n", std::to_string(asked->count)};
    // Binding would leave cores idle when processes are few; more processes than cores are allowed for
    // trials.
    for (const char* word : {"--bind-to", "none", "--oversubscribe", "--quiet"}) words.emplace_back(word);
    if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
    // The file itself, because /proc/self/exe would be mpirun within mpirun.
    words.push_back(std::filesystem::read_symlink(own_program()).string());
    words.insert(words.end(), argv + 1, argv + argc);
    return run_launcher(std::move(words));
}

}  // namespace stencil
