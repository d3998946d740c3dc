// How rows of the table of settings are made, and its parts.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {

std::vector<Setting> problem_settings();
std::vector<Setting> computation_settings();
std::vector<Setting> measurement_settings();
std::vector<Setting> file_settings();
std::vector<Setting> picture_settings();

/// Items of lists as their options take them.
std::string to_string(const RunSpec::Cell& cell);
std::string to_string(const ProfileLine& line);
std::string to_string(const RunSpec::Bookmark& bookmark);

/// Adds colours of formulas, each as --colors takes them.
void add_colors(RunSpec& spec, std::span<const std::string> texts);

/// Throws InputError if both `--model` and `--equation` are given: each is a whole model.
void refuse_two_models(bool model, bool equation);

namespace setting_row {

using Json = nlohmann::json;

/// The name, if it is known. Throws InputError.
inline std::string known_name(std::string_view kind,
                              std::string_view given,
                              const std::vector<std::string>& known) {
    if (!contains(known, given)) throw InputError(Given{kind}, unknown_name_message(kind, given, known));
    return std::string(given);
}

/// Name, value placeholder, help and kind of a row.
struct SettingHead {
    std::string_view name, value, help;
    SettingKind kind = SettingKind::view;
};

inline Setting row(const SettingHead& w,
                   std::function<void(RunSpec&, std::string_view)> set,
                   std::function<Json(const RunSpec&)> get) {
    return {w.name, w.value, w.help, w.kind, std::move(set), std::move(get)};
}

// A row for a member of the spec, which `read` makes of a text and the setting's name, and `written` gives to
// spec.json.
template <class Part, class Member, class Read, class Written>
Setting member(const SettingHead& w, Member Part::*member, Read read, Written written) {
    return row(
        w,
        [=](RunSpec& spec, std::string_view text) { spec.*member = Member(read(text, w.name)); },
        [=](const RunSpec& spec) { return Json(written(spec.*member)); });
}

inline Json unless_empty(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

// Whole numbers below `least` count as unset.
template <class Part, class Member>
Setting whole(const SettingHead& w, Member Part::*number, long long least, long long most) {
    return member(
        w,
        number,
        [=](std::string_view text, std::string_view setting) {
            return parse_integer(text, setting, least, most);
        },
        [=](Member value) { return value < least ? Json() : Json(value); });
}

template <class Part>
Setting text(const SettingHead& w, std::string Part::*text, std::string (*read)(std::string_view)) {
    return member(
        w, text, [=](std::string_view given, std::string_view) { return read(given); }, unless_empty);
}

template <class Part>
Setting range(const SettingHead& w, RangeRule Part::*rule) {
    return member(w, rule, parse_range, [](const RangeRule& value) { return to_string(value); });
}

template <class Part>
Setting unit(const SettingHead& w, Unit Part::*unit) {
    return member(w, unit, read_unit, [](const Unit& value) { return unless_empty(to_string(value)); });
}

template <class Part>
Setting flag(std::string_view name, std::string_view help, bool Part::*flag) {
    return member({name, "", help}, flag, parse_flag, std::identity());
}

// Rows for settings that may be repeated; the second is for a list of the spec.
inline Setting list(const SettingHead& w,
                    std::function<void(RunSpec&, std::span<const std::string>)> add,
                    std::function<Json(const RunSpec&)> get) {
    const auto set = [add](RunSpec& spec, std::string_view text) {
        const std::string one(text);
        add(spec, {&one, 1});
    };
    return {w.name, w.value, w.help, w.kind, set, std::move(get), std::move(add)};
}

template <class Part, class List>
Setting list(const SettingHead& w, List Part::*member, void (*add)(RunSpec&, std::span<const std::string>)) {
    return list(w, add, [member](const RunSpec& spec) {
        Json texts;
        for (const auto& item : spec.*member) texts.push_back(to_string(item));
        return texts;
    });
}

// Rows whose values other options give, or which are never written, have nothing for spec.json.
inline Json get_nothing(const RunSpec&) {
    return {};
}

inline std::string as_is(std::string_view text) {
    return std::string(text);
}

inline Setting formerly(std::string_view name, Setting row) {
    row.former = name;
    return row;
}

inline Setting set_in_turn(Turn turn, Setting row) {
    row.turn = turn;
    return row;
}

// A row that a model's text can state.
inline Setting stated(Setting row) {
    row.stated = true;
    return row;
}

// A row that --resume cannot change, as it speaks of the run from its start on.
inline Setting of_whole_run(Setting row) {
    row.of_whole_run = true;
    return row;
}

}  // namespace setting_row
}  // namespace stencil
