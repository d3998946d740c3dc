#include "sim/bench/kernel_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "sim/machine/child_process.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr double kLimitSeconds = 300;
// The first launches of a method also fill caches; two, because a step may be several kernels.
constexpr const char *kSkipped = "2", *kProfiled = "2";
// More than there are launches of kernels that are tried, and the kernels' names.
constexpr const char *kTried = "64", *kSeveralSteps = "regex:^(fused|resident|block)$";

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr const char* kIssued = "smsp__issue_active.avg.per_cycle_active";
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kL2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kLoads = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
constexpr const char* kStores = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio";
constexpr const char* kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
constexpr const char* kRegisters = "launch__registers_per_thread";
constexpr const char* kSpillLoads = "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum";
constexpr const char* kSpillStores = "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum";
constexpr std::array kMetrics{kDuration,
                              kIssued,
                              kWarps,
                              kDram,
                              kL2,
                              kLoads,
                              kStores,
                              kConflicts,
                              kWavefronts,
                              kRegisters,
                              kSpillLoads,
                              kSpillStores};

// Reasons for which a warp does not issue, by ncu's names.
struct Stall {
    std::string_view name, meaning;
};
constexpr std::array<Stall, 11> kStalls{{
    {"long_scoreboard", "data from memory or L2"},
    {"short_scoreboard", "data from shared memory or special functions"},
    {"barrier", "other warps of its block at a barrier"},
    {"math_pipe_throttle", "a busy arithmetic unit"},
    {"mio_throttle", "the queue of shared memory and special functions"},
    {"lg_throttle", "the queue of loads and stores"},
    {"wait", "the fixed latency of its last instruction"},
    {"not_selected", "its turn, as other warps are ready too"},
    {"no_instruction", "instructions to be fetched"},
    {"dispatch_stall", "the dispatcher"},
    {"membar", "a memory fence"},
}};

std::string metric_of(const Stall& stall) {
    return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", stall.name);
}

std::string all_metrics() {
    std::vector<std::string> names(kMetrics.begin(), kMetrics.end());
    for (const Stall& stall : kStalls) names.push_back(metric_of(stall));
    return fmt::format("{}", fmt::join(names, ","));
}

// The fields of a line in which each is quoted.
std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == ',' && !quoted)
            fields.emplace_back();
        else if (line[i] != '\r')
            fields.back() += line[i];
    }
    return fields;
}

template <class Take>
void for_lines(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::optional<double> sum_of(const ProfiledLaunch& launch, std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names) {
        const auto found = launch.metrics.find(name);
        if (found == launch.metrics.end()) return std::nullopt;
        sum += found->second;
    }
    return sum;
}

std::optional<double> scaled(std::optional<double> value, double factor) {
    return value ? std::optional(*value * factor) : value;
}

std::optional<double> conflicts_of(const ProfiledLaunch& launch) {
    const auto conflicts = sum_of(launch, {kConflicts}), all = sum_of(launch, {kWavefronts});
    if (!conflicts || !all) return std::nullopt;
    return *all > 0 ? 100 * *conflicts / *all : 0;
}

// The reasons for which warps wait longest, and the cycles that a warp waits for each instruction.
ProfileFigure stalls_of(const ProfiledLaunch& launch) {
    std::vector<std::pair<double, const Stall*>> stalls;
    for (const Stall& stall : kStalls)
        if (const auto found = launch.metrics.find(metric_of(stall)); found != launch.metrics.end())
            stalls.emplace_back(found->second, &stall);
    std::ranges::sort(stalls, std::greater(), &std::pair<double, const Stall*>::first);
    ProfileFigure figure{"stalls",
                         "cycles",
                         "how long a warp waits between two instructions of its own, with what for",
                         std::nullopt,
                         ""};
    constexpr std::size_t kTold = 3;
    std::vector<std::string> told;
    double sum = 0;
    for (const auto& [cycles, stall] : stalls) {
        sum += cycles;
        if (told.size() < kTold && cycles > 0)
            told.push_back(fmt::format("{:.2g} for {} ({})", cycles, stall->meaning, stall->name));
    }
    if (!stalls.empty()) figure.value = sum;
    figure.detail = fmt::format("{}", fmt::join(told, ", "));
    return figure;
}

std::string value_text(const ProfileFigure& figure) {
    if (!figure.value) return "not counted";
    return fmt::format("{:.4g}{}{}", *figure.value, figure.unit.empty() ? "" : " ", figure.unit);
}

std::string profiler() {
    for (const char* name : {"ncu", "/usr/local/cuda/bin/ncu"})
        if (std::string program = find_program(name); !program.empty()) return program;
    return "";
}

}  // namespace

std::vector<ProfiledLaunch> read_profile(std::string_view output) {
    std::vector<ProfiledLaunch> launches;
    std::vector<std::string> head;
    std::string id;
    for_lines(output, [&](std::string_view line) {
        if (!line.starts_with('"')) return;
        const std::vector<std::string> fields = fields_of(line);
        const auto place = [&](std::string_view name) {
            return std::size_t(std::ranges::find(head, name) - head.begin());
        };
        if (std::ranges::find(fields, "Metric Name") != fields.end()) {
            head = fields;
            return;
        }
        if (head.empty() || fields.size() != head.size() || place("ID") == head.size() ||
            place("Kernel Name") == head.size() || place("Metric Value") == head.size())
            return;
        if (launches.empty() || fields[place("ID")] != id) {
            id = fields[place("ID")];
            launches.push_back({fields[place("Kernel Name")], {}});
        }
        std::string number = fields[place("Metric Value")];
        std::erase(number, ',');  // of thousands
        if (const auto value = read_real(number))
            launches.back().metrics[fields[place("Metric Name")]] = *value;
    });
    return launches;
}

std::string why_no_profile(std::string_view output) {
    if (!read_profile(output).empty()) return "";
    std::string error, last;
    for_lines(output, [&](std::string_view line) {
        if (error.empty() && line.starts_with("==ERROR==")) error = line.substr(sizeof("==ERROR==") - 1);
        if (!line.empty()) last = line;
    });
    if (error.empty()) error = last;  // the loader's message, where ncu itself could not start
    while (error.starts_with(' ')) error.erase(0, 1);
    if (error.find("ERR_NVGPUCTRPERM") != std::string::npos)
        return "the driver lets only root read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or load "
               "the "
               "nvidia module with NVreg_RestrictProfilingToAdminUsers=0";
    return "ncu has profiled no launch" + (error.empty() ? "" : ": " + printable(error));
}

std::vector<ProfileFigure> figures_of(const ProfiledLaunch& launch) {
    const auto metric = [&](const char* name) { return sum_of(launch, {name}); };
    return {
        {"time", "us", "of the profiled launch, with the counters on", scaled(metric(kDuration), 1e-3), ""},
        {"issue slots used",
         "%",
         "of the cycles with warps, a scheduler issued an instruction; near 100 arithmetic is the limit",
         scaled(metric(kIssued), 100),
         ""},
        {"occupancy", "%", "warps on a multiprocessor, of the most that it can hold", metric(kWarps), ""},
        stalls_of(launch),
        {"memory", "%", "of the peak rate of the GPU's memory (DRAM)", metric(kDram), ""},
        {"L2", "%", "of the peak rate of the L2 cache", metric(kL2), ""},
        {"sectors per load",
         "",
         "32-byte pieces that a load of a warp fetches: 4 where lanes read 4 bytes each side by side, 16 for "
         "16 bytes",
         metric(kLoads),
         ""},
        {"sectors per store", "", "the same of stores to global memory", metric(kStores), ""},
        {"bank conflicts",
         "%",
         "of the passes over shared memory are repeats, as lanes want different words of one bank",
         conflicts_of(launch),
         ""},
        {"registers",
         "",
         "of a thread; they limit how many warps a multiprocessor holds",
         metric(kRegisters),
         ""},
        {"spills",
         "bytes",
         "read and written in local memory, for values that had no register",
         sum_of(launch, {kSpillLoads, kSpillStores}),
         ""}};
}

std::string why_no_profiler() {
    if (!profiler().empty()) return "";
    return "--profile needs ncu (Nsight Compute, of the CUDA toolkit) in $PATH or /usr/local/cuda/bin";
}

RowProfile profile_row(const SuiteRow& row,
                       const std::vector<std::string>& words,
                       const std::function<bool()>& stop) {
    RowProfile profile{std::string(row.method->name), row.size, {}, ""};
    // A typed equation's kernels of several steps are tried in turn before the fastest is used: the last
    // launch is of that one.
    const bool tries = row.way.steps_fused && *row.way.steps_fused != 1;
    // The calls of a method are NVTX ranges of its name (Solver::advance).
    ChildCommand command{{profiler(),
                          "--csv",
                          "--print-units",
                          "base",
                          "--clock-control",
                          "none",
                          "--nvtx",
                          "--nvtx-include",
                          profile.method + "/",
                          "--launch-skip",
                          tries ? "0" : kSkipped,
                          "--launch-count",
                          tries ? kTried : kProfiled,
                          "--kill",
                          "yes",
                          "--metrics",
                          all_metrics(),
                          // Of this process: in ncu the same link leads to ncu.
                          std::filesystem::read_symlink(own_program()).string(),
                          "bench",
                          "--method",
                          profile.method,
                          "--size",
                          fmt::format("{}x{}", row.size.nx, row.size.ny),
                          "--quiet"},
                         "",
                         kLimitSeconds,
                         true};
    command.words.insert(command.words.end(), words.begin(), words.end());
    if (tries) command.words.insert(command.words.begin() + 1, {"--kernel-name", kSeveralSteps});
    std::string output;
    run_child(
        command, [&](std::string_view line) { output.append(line) += '\n'; }, stop);
    profile.why_not = why_no_profile(output);
    std::vector<ProfiledLaunch> launches = read_profile(output);
    if (launches.empty()) return profile;
    const auto duration = [](const ProfiledLaunch& launch) {
        return sum_of(launch, {kDuration}).value_or(0);
    };
    profile.launch = tries ? launches.back() : *std::ranges::max_element(launches, {}, duration);
    return profile;
}

std::string to_text(const RowProfile& profile) {
    const std::string row = fmt::format("{} at {}x{}", profile.method, profile.size.nx, profile.size.ny);
    if (!profile.why_not.empty()) return fmt::format("profile of {}: {}\n", row, profile.why_not);
    std::string text = fmt::format("profile of {}: kernel {}\n", row, printable(profile.launch.kernel));
    for (const ProfileFigure& figure : figures_of(profile.launch))
        text += fmt::format("  {:<18} {:>12}  {}{}{}\n",
                            figure.name,
                            value_text(figure),
                            figure.meaning,
                            figure.detail.empty() ? "" : ": ",
                            figure.detail);
    return text;
}

nlohmann::ordered_json to_json(const std::vector<RowProfile>& profiles) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const RowProfile& profile : profiles)
        for (const ProfileFigure& figure : figures_of(profile.launch))
            rows.push_back(
                {{"method", profile.method},
                 {"nx", profile.size.nx},
                 {"ny", profile.size.ny},
                 {"kernel", profile.launch.kernel},
                 {"figure", figure.name},
                 {"value", figure.value ? nlohmann::ordered_json(*figure.value) : nlohmann::ordered_json()},
                 {"unit", figure.unit},
                 {"detail", figure.detail},
                 {"note", profile.why_not}});
    return rows;
}

}  // namespace stencil
