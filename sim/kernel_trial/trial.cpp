#include "sim/kernel_trial/trial.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "sim/files/input_file.h"
#include "sim/kernel_trial/trial_json.h"
#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

using Json = nlohmann::json;

std::string text_of(const TrialRequest& request) {
    const LadderSpec& ladder = request.ladder;
    return json_line({{"file", request.file},
                      {"text", request.text},
                      {"spec", json_line(to_json(ladder.run))},
                      {"steps", ladder.steps},
                      {"repeats", ladder.repeats},
                      {"repeat_seconds", ladder.repeat_seconds},
                      {"gpu", default_cuda_device()},
                      {"sizes", ladder.sizes}});
}

/// Messages received from the child.
struct Heard {
    std::string doing = "before it began";
    std::string failed;
    bool done = false;
    TrialReport report;

    void take(std::string_view line) try {
        Json json = Json::parse(line);
        doing = json.at("doing");
        failed = printable(json.value("failed", ""));
        done = json.value("done", false);
        if (!json.contains("report")) return;
        for (Json& row : json["report"].at("rows"))  // null stands for NaN and infinity
            if (row.at("error").is_null()) row["error"] = std::numeric_limits<double>::quiet_NaN();
        report = json["report"];
        report.fault = printable(report.fault);
    } catch (const Json::exception&) {
        throw MachineError("the process that tries the kernel says what cannot be understood: " +
                           quotable(line));
    }
};

}  // namespace

std::string kernel_text(const std::string& file) {
    constexpr std::uintmax_t kMostBytes = 4'000'000;
    return InputFile(file).read_text(kMostBytes);
}

TrialReport try_kernel(const TrialRequest& request,
                       const std::function<void(const std::string& doing)>& doing,
                       const std::function<bool()>& stop) {
    ChildCommand command{{request.program.empty() ? own_program() : request.program, "kernel-trial"},
                         text_of(request),
                         request.limit_seconds};
    Heard heard;
    const auto take = [&](std::string_view line) {
        heard.take(line);
        if (!heard.failed.empty()) throw MachineError(heard.failed);
        if (doing) doing(heard.doing);
    };
    const ChildEnd end = run_child(command, take, stop);
    TrialReport report = std::move(heard.report);
    const std::string name = printable(std::filesystem::path(request.file).filename().string());
    using How = ChildEnd::How;
    if (end.how == How::over_limit)
        report.fault = fmt::format("{}: did not end within {} s: {} (--limit gives it more)",
                                   name,
                                   request.limit_seconds,
                                   heard.doing);
    if (end.how == How::signalled)
        report.fault = fmt::format(
            "{}: ended its process by signal {} ({}): {}", name, end.code, strsignal(end.code), heard.doing);
    if (end.how == How::exited && !heard.done)
        throw MachineError(fmt::format(
            "the process that tries the kernel ended early, with status {}: {}", end.code, heard.doing));
    report.stopped = end.how == How::stopped;
    return report;
}

}  // namespace stencil::user_kernel
