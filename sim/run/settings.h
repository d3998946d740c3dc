// The settings of a run: one table, from which the command line, its help, spec.json, edits and the window's
// actions follow.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/run/run_spec.h"
#include "sim/text/json.h"

namespace stencil {

/// How far a change of a setting reaches.
enum class SettingKind {
    view,       ///< what is shown or written; the field knows nothing of it
    parameter,  ///< the model's parameters and the boundary: from the next step on
    device,     ///< where and how it is stepped: the field goes on
    shape,      ///< size and precision: the field is carried over
    origin,     ///< what the field started from: a new run
};

/// One setting: its name on the command line (--name) and in spec.json.
struct Setting {
    std::string_view name;
    std::string_view value;  ///< what stands for the value in the help; empty for a switch
    std::string_view help;
    SettingKind kind;
    std::function<void(RunSpec&, std::string_view text)> set;  ///< throws InputError
    std::function<nlohmann::json(const RunSpec&)> get;         ///< null: unset, left out of spec.json
    /// Of a setting that may be given several times, and adds up: many values at once. Null for others.
    void (*add)(RunSpec&, std::span<const std::string> texts) = nullptr;
};

/// All settings of a run. A new one is a member of RunSpec and a row here; the parameters of the built-in
/// models are rows of their own.
std::span<const Setting> settings();

/// Throws InputError for an unknown name.
const Setting& find_setting(std::string_view name);

/// Sets a setting, or a parameter of the spec's model that is no setting. Throws InputError.
void set_setting(RunSpec& spec, std::string_view name, std::string_view value);
/// Settings with their values, in the order in which they were given.
using SettingWords = std::vector<std::pair<const Setting*, std::string>>;
/// Sets all of them, those that say which parameters there are before the others. Throws InputError.
void set_all(RunSpec& spec, const SettingWords& words);
/// The value as its option takes it; of a parameter too.
std::string setting_text(const RunSpec& spec, std::string_view name);

/// What says which parameters there are: these are set before all others.
inline constexpr std::array<std::string_view, 2> kModelSettings{"model", "equation"};

/// SettingKind::parameter where there is no such setting: then it can be only a parameter of a model.
SettingKind kind_of(std::string_view setting);

/// May stand in --at.
bool is_editable(const Setting& setting);

}  // namespace stencil
