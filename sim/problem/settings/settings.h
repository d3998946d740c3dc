// The table of settings, from which command line, help, spec.json, scheduled changes and window actions
// follow.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/problem/run_spec.h"
#include "sim/text/json.h"

namespace stencil {

/// The consequence of changing a setting during a run.
enum class SettingKind {
    view,       ///< nothing: it only concerns what is shown or written
    parameter,  ///< applies from the next step on: model parameters, boundary
    device,     ///< moves the field to another method or device
    shape,      ///< converts the field to another size or precision
    origin,     ///< needs a new run: initial conditions
};

/// When a setting is set among several. The model comes first, as parameters exist by it; colours are those
/// of the shown formula, unless --colors names another.
enum class Turn { model, show, others, colors };
inline constexpr std::array kTurnsAfterModel{Turn::show, Turn::others, Turn::colors};

/// A setting, named as on the command line (--name) and in spec.json.
struct Setting {
    std::string_view name;
    std::string_view value;  ///< placeholder in the help; empty for a switch
    std::string_view help;
    SettingKind kind;
    std::function<void(RunSpec&, std::string_view text)> set;  ///< throws InputError
    std::function<nlohmann::json(const RunSpec&)> get;         ///< null: unset, left out of spec.json
    /// For repeatable settings: adds several values at once. Null for others.
    std::function<void(RunSpec&, std::span<const std::string> texts)> add = nullptr;
    /// A name from before, which stays accepted, and which spec.json keeps; empty for most.
    std::string_view former = {};
    std::string_view group = {};  ///< heading in the help
    Turn turn = Turn::others;
    bool stated = false;        ///< a model's text can state it: NAME = VALUE, which is read as the option is
    bool of_whole_run = false;  ///< --resume cannot change it, since it speaks of the run from its start on

    std::string_view json_key() const { return former.empty() ? name : former; }
};

/// All settings. A new one is a member of RunSpec and a row in *_settings.cpp.
std::span<const Setting> settings();

/// The setting of this name, the former one included; null if there is none.
const Setting* setting_named(std::string_view name);
/// The present name of a setting that may be given by its former one; any other name as it is.
std::string_view present_name(std::string_view name);
/// Throws InputError for an unknown name.
const Setting& find_setting(std::string_view name);

/// Sets a setting or a parameter of the spec's model. Throws InputError.
void set_setting(RunSpec& spec, std::string_view name, std::string_view value);
/// Settings and values in the order given.
using SettingWords = std::vector<std::pair<const Setting*, std::string>>;
/// Applies all, those that choose the model first. Throws InputError.
void set_all(RunSpec& spec, const SettingWords& words);
/// Drops the ending of a run where settings that are about to be set give one: --time replaces the steps of a
/// text, and --steps its time. `gives` says whether a setting is among them.
void forget_ending(RunSpec& spec, const std::function<bool(std::string_view)>& gives);
/// The value of a setting or parameter as its option takes it.
std::string setting_text(const RunSpec& spec, std::string_view name);

/// The formula of colours as --colors takes them; empty if there is none.
std::string formula_of_colors(const std::string& text);
/// The colours of a formula as --colors takes them.
std::string coloring_text(const std::string& formula, const Coloring& own);

/// Turn::others for unknown names.
Turn turn_of(std::string_view setting);
/// Whether the setting chooses the model, and with it which parameters exist.
inline bool chooses_model(std::string_view setting) {
    return turn_of(setting) == Turn::model;
}

/// The kind of a setting; SettingKind::parameter for unknown names, which can only be a model's parameters.
SettingKind kind_of(std::string_view setting);

/// Another value of this setting at the start of a run makes its log of decided steps useless.
void forget_decided_steps(RunSpec& spec, SettingKind kind);

/// Whether --at accepts it.
bool is_editable(const Setting& setting);

}  // namespace stencil
