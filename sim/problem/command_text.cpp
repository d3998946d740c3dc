#include "sim/problem/command_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/problem/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

constexpr std::array<std::string_view, 3> kAlways{"size", "steps", "method"};
constexpr std::array<std::string_view, 5> kLeftOut{"backend", "threads", "export", "every", "checkpoint"};

// Roughly what fits on a terminal.
constexpr std::size_t kLongestCommand = 2000;

// The spec as the command says it: options that the command leaves out are at their defaults.
RunSpec as_told(RunSpec spec) {
    const RunSpec standard;
    if (!runs_on_both(spec.method)) spec.backend = standard.backend;
    spec.threads = standard.threads;
    spec.exports = standard.exports;
    spec.every = standard.every;
    spec.checkpoint = standard.checkpoint;
    return spec;
}

std::string word_of(const nlohmann::json& value) {
    return quoted_for_shell(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::string command_text(const RunSpec& spec) {
    const RunSpec standard;
    RunSpec of_model;
    of_model.use_model(spec.model);
    std::string text = "stencilscope run";
    for (const Setting& setting : settings()) {
        const nlohmann::json value = setting.get(spec);
        const bool needed = setting.name == "backend" && runs_on_both(spec.method);
        if (value.is_null() || (contains(kLeftOut, setting.name) && !needed)) continue;
        const bool says_model = contains(kModelSettings, setting.name);
        if (value == setting.get(says_model ? standard : of_model) && !contains(kAlways, setting.name))
            continue;
        const std::string option = " --" + std::string(setting.name);
        if (setting.add)
            for (const nlohmann::json& item : value) text += option + " " + word_of(item);
        else if (setting.value.empty())
            text += option;
        else
            text += option + " " + word_of(value);
    }
    return text;
}

std::string output_words(const std::filesystem::path& folder, const std::vector<std::string>& files) {
    const std::string out = folder.empty() ? "" : " --out " + quoted_for_shell(folder.string());
    if (out.empty() || files.empty() || files == RunSpec().exports) return out;
    return fmt::format("{} --export {}", out, fmt::join(files, ","));
}

CommandCopy command_copy(const RunSpec& spec, const std::filesystem::path& folder) {
    CommandCopy copy{command_text(spec), ""};
    if (copy.text.size() <= kLongestCommand) return copy;
    if (folder.empty()) throw InputError("a folder is needed");
    make_folder(folder, "copy to");
    std::filesystem::path file;
    for (int number = 1; file.empty() || std::filesystem::exists(file); ++number)
        file = std::filesystem::absolute(folder / fmt::format("copied-{}.json", number));
    write_text_file(file, json_text(to_json(as_told(spec))));
    copy.file = file.lexically_normal().string();
    copy.text = "stencilscope run --spec " + quoted_for_shell(copy.file);
    return copy;
}

}  // namespace stencil
