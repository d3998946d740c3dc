#include "app/commands/models_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/console.h"
#include "sim/model/model.h"
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

}  // namespace

int models_command(const std::string& name) {
    if (!name.empty()) {
        print_text(text_of(*find_model(name)));
        return 0;
    }
    for (const auto& model : models())
        stencil::print("{:<12} {}\n{:<12} components: {}; parameters: {}\n",
                       model->name,
                       model->help,
                       "",
                       fmt::join(names_of(model->components), ", "),
                       fmt::join(names_of(model->parameters), ", "));
    return 0;
}

}  // namespace stencil
