#include "sim/fit/fit_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "sim/problem/run_text.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"

namespace stencil::fitting {
namespace {

std::string noise_text(const FitWords& words) {
    std::vector<std::string> noise;
    for (const double one : words.noise) noise.push_back(format_real(one));
    return fmt::format("{}", fmt::join(noise, ","));
}

}  // namespace

std::string to_string(const Parameter& parameter) {
    const auto bound = [](double value) { return std::isfinite(value) ? format_real(value) : ""; };
    const std::string low = bound(parameter.low), high = bound(parameter.high),
                      start = parameter.start ? format_real(*parameter.start) : "";
    std::string text = parameter.name;
    if (!low.empty() || !high.empty())
        text += fmt::format("={}:{}:{}", start, low, high);
    else if (!start.empty())
        text += "=" + start;
    return text + (parameter.log ? ":log" : "");
}

FitSpec read_fit(RunSpec run, const FitWords& words) {
    FitSpec spec;
    spec.run = std::move(run);
    for (const std::string& text : words.parameters) spec.parameters.push_back(read_parameter(text));
    take_targets(spec, {words.targets.begin(), words.targets.end()}, words.noise);
    return spec;
}

std::optional<Size> size_of_targets(const FitWords& words) {
    std::optional<Size> size;
    for (const std::string& target : words.targets)
        if (!size) size = size_of_target(target);
    return size;
}

std::string command_text(const RunSpec& run, const FitWords& words) {
    constexpr std::string_view kRun = "stencilscope run";
    std::string text = "stencilscope fit" + stencil::command_text(run).substr(kRun.size());
    for (const std::string& target : words.targets) text += " --target " + quoted_for_shell(target);
    for (const std::string& parameter : words.parameters) text += " --fit " + quoted_for_shell(parameter);
    if (!words.noise.empty()) text += " --noise " + noise_text(words);
    return text;
}

nlohmann::ordered_json to_json(const FitWords& words) {
    return {{"targets", words.targets}, {"parameters", words.parameters}, {"noise", words.noise}};
}

FitWords fit_words_from_json(const nlohmann::ordered_json& json) {
    return {json.at("targets").get<std::vector<std::string>>(),
            json.at("parameters").get<std::vector<std::string>>(),
            json.at("noise").get<std::vector<double>>()};
}

}  // namespace stencil::fitting
