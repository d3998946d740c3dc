#include "sim/problem/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/side_conditions.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/time_step.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

using equation::Rewriting;
using equation::StatementForm;
using equation::Statements;

std::string number(double value) {
    return fmt::format("{}", value);
}

RunSpec said_by(const std::shared_ptr<const Model>& model) {
    RunSpec said;
    said.use_model(model);
    return said;
}

bool same_sides(const Problem& a, const Problem& b) {
    return a.boundary_as_typed == b.boundary_as_typed && (a.boundary_as_typed || a.boundary == b.boundary);
}

// The initial condition given beside the text.
std::string start_beside(const Problem& spec, const std::string& component) {
    if (component == spec.model->components.front().name) return spec.initial;
    const auto given = spec.initials.find(component);
    return given == spec.initials.end() ? "" : given->second;
}

// Writes the value, and widens the range if it is outside.
void write_parameter(Rewriting& text, const Statements& read, const ModelParameter& row, double value) {
    const auto statement = std::ranges::find(read.parameters, row.name, &equation::ParameterStatement::name);
    if (statement == read.parameters.end() || value == row.value) return;
    text.replace(statement->number, number(value));
    if (statement->low < statement->high && (value < row.low || value > row.high))
        text.replace(statement->range,
                     fmt::format("[{}, {}]", std::min(row.low, value), std::max(row.high, value)));
}

void write_starts(Rewriting& text, const Problem& now) {
    for (const Component& component : now.model->components) {
        const std::string what = start_beside(now, component.name);
        if (what.empty()) continue;
        const std::string formula = parse_initial(what).formula;
        const auto* own = text.find(StatementForm::start, component.name);
        if (!formula.empty())
            text.set(StatementForm::start, component.name, formula);
        else if (own)
            text.remove(*own);
    }
}

using equation::Equations;

bool starts_in_text(const Equations& text, std::string_view component) {
    const auto row = std::ranges::find(text.components, component, &equation::Evolving::name);
    return row == text.components.end() || row->initial;
}

// Restores a component's initial condition unless the new text has one, or the component is gone.
void keep_start(Problem& next, const Problem& before, const std::string& component) {
    const std::string what = start_beside(before, component);
    if (what.empty() || starts_in_text(*next.model->equations, component)) return;
    if (component != next.model->components.front().name) {
        next.initials[component] = what;
        return;
    }
    next.initial = what;
    next.initial_hash = what == before.initial ? before.initial_hash : "";
}

void keep_parameters(RunSpec& spec, const RunSpec& before) {
    for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
        const ModelParameter& row = spec.model->parameters[i];
        const auto old = before.model->index_of(row.name);
        if (old && before.model->parameters[*old].value == row.value)
            spec.parameters[i] = before.parameters[*old];
    }
}

constexpr std::array<std::string_view, 3> kAlways{
    setting_name::size, setting_name::steps, setting_name::method};
constexpr std::array<std::string_view, 5> kLeftOut{setting_name::backend,
                                                   setting_name::threads,
                                                   setting_name::exports,
                                                   setting_name::every,
                                                   setting_name::checkpoint};

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

}  // namespace

std::string text_of_run(const Problem& now, bool sets_dt) {
    const Model& model = *now.model;
    const Statements read = equation::read_statements(model.text);
    Rewriting text(read);
    const RunSpec said = said_by(now.model);
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        write_parameter(text, read, model.parameters[i], now.parameters[i]);
    if (now.size && now.size != said.size)
        text.set(StatementForm::value, setting_name::size, fmt::format("{}x{}", now.size->nx, now.size->ny));
    if (!same_sides(now, said)) set_all_sides(text, read, std::string(name_of(now.boundary)));
    const auto* says_dt = text.find(StatementForm::value, setting_name::dt);
    const bool follows = is_adaptive(now.dt);
    if (says_dt && follows)
        text.remove(*says_dt);
    else if (!follows && now.time_step() > 0 && now.time_step() != said.time_step() && (says_dt || sets_dt))
        text.set(StatementForm::value, setting_name::dt, number(now.time_step()));
    if (now.spacing() != said.spacing())
        text.set(StatementForm::value, setting_name::dx, number(now.spacing()));
    if (now.integrator() != said.integrator())
        text.set(StatementForm::value, setting_name::integrator, name_of(now.integrator()));
    write_starts(text, now);
    return text.text();
}

std::vector<std::pair<std::string, std::string>> choices_of_text(const Problem& before, const Problem& next) {
    const Statements read = equation::read_statements(next.model->text);
    const RunSpec said = said_by(next.model);
    std::vector<std::pair<std::string, std::string>> choices;
    for (std::size_t i = 0; i < next.parameters.size(); ++i)
        if (next.parameters[i] != said.parameters[i])
            choices.emplace_back(next.model->parameters[i].name, number(said.parameters[i]));
    const auto says = [&](std::string_view setting) { return contains(names_of(read.settings), setting); };
    const auto size = said.size ? said.size : before.size;
    if (size && size != next.size)
        choices.emplace_back(setting_name::size, fmt::format("{}x{}", size->nx, size->ny));
    const Problem& sides = says(setting_name::boundary) || !read.sides.empty() || before.boundary_as_typed
                               ? static_cast<const Problem&>(said)
                               : before;
    if (!same_sides(sides, next)) choices.emplace_back(setting_name::boundary, boundary_text(sides));
    if (says(setting_name::dt) && said.time_step() != next.time_step())
        choices.emplace_back(setting_name::dt, number(said.time_step()));
    const double dx = says(setting_name::dx) ? said.spacing() : before.spacing();
    if (dx != next.spacing()) choices.emplace_back(setting_name::dx, number(dx));
    const equation::Integrator integrator =
        says(setting_name::integrator) ? said.integrator() : before.integrator();
    if (integrator != next.integrator()) choices.emplace_back(setting_name::integrator, name_of(integrator));
    return choices;
}

void keep_starts_of(const Problem& before, Problem& next) {
    for (const Component& component : before.model->components) keep_start(next, before, component.name);
}

void keep_choices(RunSpec& spec, const RunSpec& before) {
    if (before.model->built_in) return;
    const Equations &now = *spec.model->equations, &old = *before.model->equations;
    keep_parameters(spec, before);
    for (const Component& component : before.model->components)
        if (!starts_in_text(old, component.name)) keep_start(spec, before, component.name);
    const bool same_dt = now.dt == old.dt, follows = is_adaptive(before.dt);
    if (now.dt ? same_dt : follows) spec.dt = before.dt;
    if (now.size == old.size) spec.size = before.size;
    if (now.steps == old.steps && now.time == old.time && now.until == old.until)
        static_cast<Ending&>(spec) = before;
    if (before.chosen_integrator) spec.chosen_integrator = before.chosen_integrator;
    spec.global_every = before.global_every;
    if (now.spacing == old.spacing) spec.dx = before.dx;
    RunSpec own = before;
    own.use_model(before.model);
    const auto sides = [](const RunSpec& s) { return std::pair(s.boundary, s.boundary_as_typed); };
    if (sides(own) == sides(spec)) std::tie(spec.boundary, spec.boundary_as_typed) = sides(before);
}

std::string without_folders(const std::string& value) {
    const auto name_of = [](const std::string& path) {
        return std::filesystem::path(path).filename().string();
    };
    const std::size_t equals = value.find('=');
    for (const std::size_t begin : {std::size_t(0), equals == value.npos ? 0 : equals + 1})
        if (value.substr(begin).starts_with('/'))
            return value.substr(0, begin) + name_of(value.substr(begin));
    std::string text;
    for (std::size_t at = 0; at < value.size();) {
        const std::size_t end = std::min(value.find('"', at), value.size() - 1) + 1;
        text += value.substr(at, end - at);
        at = end;
        if (!text.ends_with('"') || at >= value.size() || value[at] != '/') continue;
        const std::size_t close = std::min(value.find('"', at), value.size());
        text += name_of(value.substr(at, close - at));
        at = close;
    }
    return text;
}

std::string command_text(const RunSpec& spec, Paths paths) {
    const auto word_of = [paths](const nlohmann::json& value) {
        const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
        return quoted_for_shell(paths == Paths::names ? without_folders(word) : word);
    };
    const RunSpec standard;
    RunSpec of_model;
    of_model.use_model(spec.model);
    std::string text = "stencilscope run";
    for (const Setting& setting : settings()) {
        const nlohmann::json value = setting.get(spec);
        const bool needed = setting.name == setting_name::backend && runs_on_both(spec.method);
        if (value.is_null() || (contains(kLeftOut, setting.name) && !needed)) continue;
        const bool says_model = chooses_model(setting.name);
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
