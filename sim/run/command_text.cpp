#include "sim/run/command_text.h"

#include <array>
#include <string_view>

#include "sim/run/settings.h"
#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

constexpr std::array<std::string_view, 3> kAlways{"size", "steps", "method"};
constexpr std::array<std::string_view, 5> kNever{"backend", "threads", "export", "every", "checkpoint"};

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
        if (value.is_null() || (contains(kNever, setting.name) && !needed)) continue;
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

}  // namespace stencil
