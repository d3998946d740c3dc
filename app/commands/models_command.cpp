#include "app/commands/models_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/console.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/presets.h"
#include "sim/run/ready_runs.h"
#include "sim/run/run_text.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

std::string text_of(const Model& model) {
    std::string text = model.text;
    for (const ModelParameter& row : model.parameters)
        text += fmt::format("# --{} {}: {}{}\n",
                            row.name,
                            row.symbol,
                            row.help,
                            row.unit.empty() ? "" : fmt::format(" [{}]", row.unit));
    return text;
}

void list(std::string_view name,
          std::string_view title,
          const std::vector<std::string>& components,
          const std::vector<ModelParameter>& parameters,
          std::string_view source) {
    stencil::print("{:<25} {} ({}{}{})\n",
                   name,
                   title,
                   fmt::join(components, ", "),
                   parameters.empty() ? "" : "; ",
                   fmt::join(names_of(parameters), ", "));
    if (!source.empty()) stencil::print("{:<25} {}\n", "", source);
}

}  // namespace

int models_command(const std::string& name) {
    if (const Preset* preset = find_preset(name)) {
        print_text(preset->text);
        return 0;
    }
    std::vector<std::string> names = names_of(presets());
    for (const auto& model : models()) {
        if (model->name == name) {
            print_text(text_of(*model));
            return 0;
        }
        names.push_back(model->name);
    }
    // For a run, print its settings as the window shows them.
    if (find_ready_run(name) || name.ends_with(".json")) {
        const std::string text = text_of_run(named_spec(name));
        print("{}{}", text, text.ends_with('\n') ? "" : "\n");
        return 0;
    }
    if (!name.empty()) throw InputError(unknown_name_message("model", name, names));
    for (const auto& model : models())
        list(model->name, model->help, names_of(model->components), model->parameters, "");
    for (const Preset& preset : presets()) {
        const equation::Equations e = equation::read_equations(preset.text);
        list(preset.name, e.title, names_of(e.components), e.parameters, e.source);
    }
    return 0;
}

}  // namespace stencil
