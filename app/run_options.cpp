#include "app/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/methods/method.h"
#include "sim/initial/initial.h"
#include "sim/problem/artifact.h"
#include "sim/problem/ready_runs.h"
#include "sim/run/output/film.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

std::string list_names() {
    std::string text = "Initial conditions (with options: gaussian:sigma=0.2,x=0.3):\n";
    for (const InitialCondition& row : initial_conditions()) {
        text += fmt::format("  {:<13} {}\n", row.name, row.help);
        for (const InitialParameter& p : row.parameters)
            text += fmt::format("  {:<13}   {}={}: {}\n", "", p.name, p.standard, p.help);
    }
    text += "\nReady runs (--spec NAME):\n";
    for (const ReadyRun& run : ready_runs()) text += fmt::format("  {:<15} {}\n", run.name, run.title);
    text += "\n" + list_methods();
    text += "\nBoundaries:\n";
    for (const BoundaryRow& row : kBoundaries) text += fmt::format("  {:<13} {}\n", row.name, row.help);
    text += "\nFiles of --export (* by default):\n";
    for (const ExportGroupRow& group : kExportGroups) {
        text += fmt::format("  {}, {}:\n", group.title, group.help);
        for (const Artifact& row : artifacts())
            if (row.group == group.group)
                text += fmt::format("    {:<14}{} {}\n", row.name, row.is(kStandard) ? "*" : " ", row.help);
    }
    text += "\nColour tables:\n ";
    for (const Colormap& map : colormaps())
        text += fmt::format(" {}{}",
                            map.name,
                            map.diverging ? " (diverging, centred at 0)"
                            : map.cyclic  ? " (cyclic, for angles)"
                                          : "");
    return text;
}

// Appends the default to the setting's help unless the help already states it.
std::string help_of(const Setting& setting) {
    const std::string help(setting.help);
    if (setting.value.empty() || help.find("(default") != std::string::npos) return help;
    const nlohmann::json standard = setting.get(RunSpec());
    if (standard.is_null()) return help;
    return fmt::format(
        "{} (default {})", help, standard.is_string() ? standard.get<std::string>() : standard.dump());
}

}  // namespace

std::string list_methods() {
    std::string text = "Methods:\n";
    for (const Method& row : methods())
        text += fmt::format("  {:<13} {}: {}\n", row.name, name_of(row.device), row.summary);
    text += "\nMethods of typed equations:\n";
    for (const Method& row : methods(kEquation))
        text += fmt::format("  {:<13} {}: {}\n", row.name, name_of(row.device), row.summary);
    return text;
}

bool RunWords::has(std::string_view setting) const {
    return std::ranges::any_of(settings, [&](const auto& word) { return word.first->name == setting; });
}

RunSpec RunWords::spec() const {
    RunSpec spec;
    if (!spec_file.empty()) spec = named_spec(spec_file);
    set_all(spec, settings);
    return spec;
}

void add_settings(CLI::App& command, RunWords& words, std::span<const std::string_view> left_out) {
    for (const Setting& setting : settings()) {
        if (contains(left_out, setting.name)) continue;
        CLI::Option* option = add_setting(command, setting.name, help_of(setting), words.settings);
        option->group(std::string(setting.group));
    }
    command
        .add_option("--spec",
                    words.spec_file,
                    "start from a ready run (see below) or a spec.json; other options override it")
        ->type_name("NAME|FILE.json");
    command.footer(list_names());
}

void add_folder(CLI::App& command, const std::string& name, const std::string& help, std::string& folder) {
    add_text(command, name, "DIR", help, [&folder, name](const std::string& text) {
        if (text.empty()) throw InputError("--{} '': a folder is needed, and this is not a name", name);
        folder = text;
    });
}

double parse_fps(const std::string& text) {
    const double fps = parse_real(text, "fps");
    if (fps <= 0 || fps > kMostFps)
        throw InputError("--fps {}: must be above 0 and at most {}", quotable(text), kMostFps);
    return fps;
}

}  // namespace stencil
