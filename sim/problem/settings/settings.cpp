#include "sim/problem/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/setting_rows.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

std::vector<Setting> make_settings() {
    std::vector<Setting> rows;
    const auto add = [&](std::string_view group, std::vector<Setting> its_rows) {
        for (Setting& row : its_rows) rows.emplace_back(std::move(row)).group = group;
    };
    add("Problem", problem_settings());
    add("Computation", computation_settings());
    add("Changes and measurements", measurement_settings());
    add("Files", file_settings());
    add("Pictures", picture_settings());
    return rows;
}

}  // namespace

std::span<const Setting> settings() {
    static const std::vector<Setting> table = make_settings();
    return table;
}

void set_setting(RunSpec& spec, std::string_view name, std::string_view value) {
    forget_decided_steps(spec, kind_of(name));
    if (const Setting* row = setting_named(name)) return row->set(spec, value);
    if (!spec.model->index_of(name)) {
        std::vector<std::string> known = names_of(spec.model->parameters);
        for (const Setting& setting : settings())
            if (is_editable(setting) && !contains(known, setting.name)) known.emplace_back(setting.name);
        throw InputError(unknown_name_message("setting", name, known));
    }
    spec.set_parameter(name, parse_real(std::string(value), fmt::format("set {}", name)));
}

void refuse_two_models(bool model, bool equation) {
    if (model && equation)
        throw InputError("--{} beside --{}: each is a whole model, so give one of them",
                         setting_name::model,
                         setting_name::equation);
}

void set_all(RunSpec& spec, const SettingWords& words) {
    const auto gives = [&](std::string_view name) {
        return std::ranges::any_of(words, [&](const auto& word) { return word.first->name == name; });
    };
    refuse_two_models(gives(setting_name::model), gives(setting_name::equation));
    std::map<const Setting*, std::vector<std::string>> lists;
    for (const auto& [setting, text] : words)
        if (setting->add) lists[setting].push_back(text);
    const auto take = [&](Turn turn) {
        for (const auto& [setting, text] : words) {
            if (setting->turn != turn) continue;
            forget_decided_steps(spec, setting->kind);
            if (!setting->add)
                setting->set(spec, text);
            else if (const auto given = lists.extract(setting))
                setting->add(spec, given.mapped());
        }
    };
    take(Turn::model);
    forget_ending(spec, gives);
    std::ranges::for_each(kTurnsAfterModel, take);
    for (const auto& [setting, text] : words)
        if (setting->turn == Turn::colors) spec.require_formula(formula_of_colors(text));
}

void forget_ending(RunSpec& spec, const std::function<bool(std::string_view)>& gives) {
    if (gives(setting_name::steps) || gives(setting_name::time) || gives(setting_name::until))
        static_cast<Ending&>(spec) = Ending();
}

Turn turn_of(std::string_view setting) {
    const Setting* row = setting_named(setting);
    return row == nullptr ? Turn::others : row->turn;
}

std::string setting_text(const RunSpec& spec, std::string_view name) {
    const Setting* row = setting_named(name);
    if (row == nullptr) return format_real(spec.parameter(name));
    const nlohmann::json value = row->get(spec);
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

const Setting* setting_named(std::string_view name) {
    for (const Setting& setting : settings())
        if (setting.name == name || (!name.empty() && setting.former == name)) return &setting;
    return nullptr;
}

std::string_view present_name(std::string_view name) {
    const Setting* setting = setting_named(name);
    return setting == nullptr ? name : setting->name;
}

const Setting& find_setting(std::string_view name) {
    if (const Setting* setting = setting_named(name)) return *setting;
    return row_named(settings(), "setting", name);
}

SettingKind kind_of(std::string_view setting) {
    const Setting* row = setting_named(setting);
    return row == nullptr ? SettingKind::parameter : row->kind;
}

void forget_decided_steps(RunSpec& spec, SettingKind kind) {
    if (kind != SettingKind::view && kind != SettingKind::device) spec.dt_log = {};
}

bool is_editable(const Setting& setting) {
    return setting.kind != SettingKind::view && setting.kind != SettingKind::origin;
}

}  // namespace stencil
