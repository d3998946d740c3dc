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
#include "sim/model/time_step.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

using equation::Rewriting;
using equation::StatementForm;
using equation::Statements;

// Whether the boundary is that of the text.
bool has_own_sides(const Problem& spec) {
    return spec.boundary_as_typed == !spec.model->uniform_boundary &&
           (spec.boundary_as_typed || spec.boundary == spec.model->boundary);
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
    text.replace(statement->number, format_real(value));
    if (statement->low < statement->high && (value < row.low || value > row.high))
        text.replace(statement->range,
                     fmt::format("[{}, {}]", std::min(row.low, value), std::max(row.high, value)));
}

const std::string& own_shown(const Model& model) {
    return model.equations->show.empty() ? model.components.front().name : model.equations->show;
}

// Whether the formula is a component's or a definition's name, which a text can show.
bool has_name(const equation::Equations& text, const std::string& formula) {
    return contains(names_of(text.components), formula) || contains(names_of(text.definitions), formula);
}

void write_starts(Rewriting& text, const Problem& now) {
    for (const Component& component : now.model->components) {
        const std::string what = start_beside(now, component.name);
        const std::size_t index = std::size_t(&component - now.model->components.data());
        if (what.empty() || what == now.model->equations->components[index].start) continue;
        const InitialChoice choice = parse_initial(what);
        const auto* own = text.find(StatementForm::start, component.name);
        if (!choice.formula.empty())
            text.set(StatementForm::start, component.name, choice.formula);
        else if (own && choice.condition)
            text.set(StatementForm::start, component.name, '"' + what + '"');
        else if (own)
            text.remove(*own);
    }
}

const equation::Evolving* find_component(const equation::Equations& text, std::string_view name) {
    const auto row = std::ranges::find(text.components, name, &equation::Evolving::name);
    return row == text.components.end() ? nullptr : &*row;
}

// Restores a component's initial condition that was given beside the text before, unless the new text has one
// or lacks the component.
void keep_start(Problem& next, const Problem& before, const std::string& component) {
    const std::string what = start_beside(before, component);
    const auto *own = find_component(*before.model->equations, component),
               *now = find_component(*next.model->equations, component);
    if (what.empty() || what == own->start || !now || now->initial || !now->start.empty()) return;
    if (component != next.model->components.front().name) {
        next.initials[component] = what;
        return;
    }
    next.initial = what;
    next.initial_hash = what == before.initial ? before.initial_hash : "";
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

std::string text_of_run(const RunSpec& now) {
    const Model& model = *now.model;
    const Statements& read = *model.equations->statements;
    RunSpec told = now;
    told.dt = now.dt == TimeStep(FixedStep{now.usual_dt}) ? UsualStep{} : undecided(now.dt);
    Rewriting text(read);
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        write_parameter(text, read, model.parameters[i], now.parameters[i]);
    if (!has_own_sides(now)) set_all_sides(text, read, std::string(name_of(now.boundary)));
    const auto write = [&](std::string_view setting, const std::string& value) {
        if (value != read.value(setting)) text.set(StatementForm::value, setting, value);
    };
    for (const Setting& row : settings())
        if (row.stated && row.kind != SettingKind::view)
            if (const nlohmann::json value = row.get(told); !value.is_null())
                write(row.name, value.is_number() ? format_real(value) : value.get<std::string>());
    const std::string shown = now.shown();
    if (shown != own_shown(model) && has_name(*model.equations, shown)) write(setting_name::show, shown);
    if (!now.colormap.empty()) write(setting_name::colormap, now.colormap);
    write_starts(text, now);
    return text.text();
}

void use_text(RunSpec& spec, std::shared_ptr<const Model> model) {
    const RunSpec before = spec;
    spec.use_model(std::move(model));
    const Statements& text = *spec.model->equations->statements;
    const equation::Equations& own = *before.model->equations;
    if (text.value(setting_name::size).empty()) spec.size = before.size;
    if (text.value(setting_name::boundary).empty() && text.sides.empty() && !has_own_sides(before)) {
        spec.boundary = before.boundary;
        spec.boundary_as_typed = false;
    }
    const bool of_text = to_string(undecided(before.dt)) == own.statements->value(setting_name::dt);
    if (text.value(setting_name::dt).empty() && is_adaptive(before.dt) && !of_text) spec.dt = before.dt;
    if (text.value(setting_name::dx).empty() && before.dx != own.spacing) spec.dx = before.dx;
    if (text.value(setting_name::integrator).empty() && before.integrator != own.integrator)
        spec.integrator = before.integrator;
    spec.global_every = before.global_every;
    for (const Component& component : before.model->components) keep_start(spec, before, component.name);
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
