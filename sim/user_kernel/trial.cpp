#include "sim/user_kernel/trial.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/trial_rows.h"

namespace stencil::user_kernel {
namespace {

using Json = nlohmann::json;

std::string text_of(const TrialRequest& request) {
    const LadderSpec& ladder = request.ladder;
    Json json;
    json["file"] = request.file;
    json["text"] = request.text;
    json["spec"] = to_json(ladder.run).dump(-1, ' ', false, Json::error_handler_t::replace);
    json["steps"] = ladder.steps;
    json["repeats"] = ladder.repeats;
    json["repeat_seconds"] = ladder.repeat_seconds;
    json["gpu"] = default_cuda_device();
    json["sizes"] = Json::array();
    for (const Size& size : ladder.sizes) json["sizes"].push_back({size.nx, size.ny});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Understands what the child says, line by line.
class Listener {
  public:
    Listener(const TrialRequest& request, const std::function<void(const std::string&)>& doing)
        : request_(request), doing_(doing) {}

    void take(std::string_view line) {
        const Json json = Json::parse(line, nullptr, false);
        try {
            take(json);
        } catch (const Json::exception&) {
            throw MachineError("the process that tries the kernel says what cannot be understood: " +
                               quotable(line));
        }
    }

    const std::string& last() const { return last_; }
    bool done() const { return done_; }
    TrialReport report;

  private:
    void take(const Json& json) {
        if (json.contains("doing")) {
            last_ = json.at("doing").get<std::string>();
            if (doing_) doing_(last_);
        } else if (json.contains("compiled")) {
            report.compiled = json.at("compiled").get<std::string>();
            report.steps_fused = json.at("steps").get<int>();
            report.on_gpu = json.at("on_gpu").get<bool>();
        } else if (json.contains("right")) {
            report.sizes = json.at("right").get<int>();
            report.error = json.at("error").get<double>();
        } else if (json.contains("row")) {
            report.rows.push_back(row_from(json.at("row"), request_.ladder));
        } else if (json.contains("fault")) {
            report.fault = printable(json.at("fault").get<std::string>());
        } else if (json.contains("failed")) {
            throw MachineError(printable(json.at("failed").get<std::string>()));
        } else {
            done_ = json.at("done").get<bool>();
        }
    }

    const TrialRequest& request_;
    const std::function<void(const std::string&)>& doing_;
    std::string last_ = "before it began";
    bool done_ = false;
};

}  // namespace

TrialReport try_kernel(const TrialRequest& request,
                       const std::function<void(const std::string& doing)>& doing,
                       const std::function<bool()>& stop) {
    ChildCommand command{{request.program.empty() ? own_program() : request.program, "kernel-trial"},
                         text_of(request),
                         request.limit_seconds};
    Listener listener(request, doing);
    const ChildEnd end = run_child(
        command, [&](std::string_view line) { listener.take(line); }, stop);
    TrialReport report = std::move(listener.report);
    const std::string name = printable(std::filesystem::path(request.file).filename().string());
    using How = ChildEnd::How;
    if (end.how == How::over_limit)
        report.fault = fmt::format("{}: did not end within {} s: {} (--limit gives it more)",
                                   name,
                                   request.limit_seconds,
                                   listener.last());
    if (end.how == How::signalled)
        report.fault = fmt::format("{}: ended its process by signal {} ({}): {}",
                                   name,
                                   end.code,
                                   strsignal(end.code),
                                   listener.last());
    if (end.how == How::exited && !listener.done())
        throw MachineError(fmt::format(
            "the process that tries the kernel ended early, with status {}: {}", end.code, listener.last()));
    report.stopped = end.how == How::stopped;
    return report;
}

}  // namespace stencil::user_kernel
