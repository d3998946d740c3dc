#include "app/commands/models_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/model/model.h"

namespace stencil {
namespace {

std::string names(const auto& rows) {
    std::vector<std::string> all;
    for (const auto& row : rows) all.push_back(row.name);
    return fmt::format("{}", fmt::join(all, ", "));
}

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

}  // namespace

int models_command(const std::string& name) {
    if (!name.empty()) {
        fmt::print("{}", text_of(*find_model(name)));
        return 0;
    }
    for (const auto& model : models())
        fmt::print("{:<12} {}\n{:<12} components: {}; parameters: {}\n",
                   model->name,
                   model->help,
                   "",
                   names(model->components),
                   names(model->parameters));
    return 0;
}

}  // namespace stencil
