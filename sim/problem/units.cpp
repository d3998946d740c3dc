#include "sim/problem/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/model/equations.h"
#include "sim/model/stability/linearisation.h"
#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::size_t kLongestUnit = 16;  // bytes of a unit's name

// Whether it can be used in table headers and on axes.
bool is_name(std::string_view text) {
    constexpr std::string_view kOfNumbers = "0123456789.+-";
    if (text.empty() || kOfNumbers.find(text[0]) != kOfNumbers.npos) return false;
    return text.size() <= kLongestUnit && std::ranges::none_of(text, [](char c) {
               return static_cast<unsigned char>(c) < 0x20 || c == ',' || c == '"' || c == ' ' || c == '=';
           });
}

}  // namespace

Unit read_unit(std::string_view text, std::string_view setting) {
    if (text.empty()) return {};
    // Takes the longest number at the beginning: 5e3m is 5000 m, and 5eV is 5 eV.
    std::size_t length = text.size();
    std::optional<double> size;
    while (length > 0 && !(size = read_real(std::string(text.substr(0, length))))) --length;
    std::string_view name = text.substr(length);
    name.remove_prefix(std::min(name.size(), name.find_first_not_of(' ')));
    const Unit unit{size.value_or(1), std::string(name)};
    if (!(unit.size > 0) || !std::isfinite(unit.size) || !is_name(name))
        throw InputError(Given{setting, quotable(text)},
                         "must be a number above 0 with a unit, e.g. 0.01m, or the unit alone{}",
                         text.find(',') != text.npos ? "; decimals have a point" : "");
    return unit;
}

std::string read_unit_name(std::string_view text, std::string_view setting) {
    if (!text.empty() && !is_name(text))
        throw InputError(Given{setting, quotable(text)},
                         "must be a unit, e.g. mol/L, without a number, with at most {} bytes",
                         kLongestUnit);
    return std::string(text);
}

std::string with_unit(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::string to_string(const Unit& unit) {
    return unit.given() ? fmt::format("{} {}", unit.size, unit.name) : "";
}

double cell_size(const RunSpec& spec) {
    return spec.dx * spec.unit_length.size;
}

std::array<double, 2> corner_of(const RunSpec& spec) {
    if (!spec.model->equations->statements->origin) return {0, 0};
    const auto plans = planned_equations(spec, {"x", "y"});
    const equation::Equations& equations = plans->equations();
    equation::UniformState state;
    state.components.assign(equations.components.size(), 0);
    state.parameters = spec.parameters;
    state.spacing = spec.dx;
    state.nx = spec.size->nx;
    state.ny = spec.size->ny;
    const double unit = spec.unit_length.size;
    return {unit * value_at(equations, equations.extra[0], state),
            unit * value_at(equations, equations.extra[1], state)};
}

std::optional<double> time_at(const RunSpec& spec, long long step) {
    double time = 0;
    long long from = 0;
    double dt = spec.time_step();  // 0: not known
    bool known = true;
    const auto change = [&](long long at, double next) {
        known &= dt > 0 || at == from;
        time += double(at - std::exchange(from, at)) * std::exchange(dt, next);
    };
    auto decided = spec.dt_log.begin();
    // Those of a step come behind its events.
    const auto change_by_log = [&](long long before) {
        for (; decided != spec.dt_log.end() && decided->step < before; ++decided)
            change(decided->step, decided->dt);
    };
    for (const Event& event : spec.edits) {
        if (event.step >= step) break;
        const SetSetting* set = event.setting();
        if (!set || (set->setting != setting_name::dt && !chooses_model(set->setting))) continue;
        change_by_log(event.step);
        // A text's default dt is unknown unless a change behind it states dt, as those of a run that was made
        // do.
        change(event.step, set->setting == setting_name::dt ? dt_of(parse_time_step(set->value)) : 0);
    }
    change_by_log(step);
    change(step, 0);
    return known ? std::optional(time * spec.unit_time.size) : std::nullopt;
}

std::string time_text(const RunSpec& spec, long long step) {
    const auto time = time_at(spec, step);
    if (!time) return "";
    return fmt::format("{:.6g}{}{}", *time, spec.unit_time.given() ? " " : "", spec.unit_time.name);
}

std::string TableUnits::place_head() const {
    return fmt::format("{},{},", with_unit("x", cell.name), with_unit("y", cell.name));
}

std::string TableUnits::time_head() const {
    return !time ? "" : time_name.empty() ? "time," : fmt::format("time ({}),", time_name);
}

std::string TableUnits::time_cell(long long step) const {
    if (!time) return "";
    const auto value = time(step);
    return value ? fmt::format("{},", *value) : ",";
}

TableUnits table_units(const RunSpec& now, const RunSpec& document) {
    TableUnits units{{cell_size(now), now.unit_length.name}, corner_of(now), now.unit_time.name};
    units.time = [&document](long long step) { return time_at(document, step); };
    return units;
}

std::string with_time(const std::string& table, const RunSpec& document, long long step) {
    const TableUnits units = table_units(document, document);
    std::string cell = "," + units.time_head(), wide;
    for (const char c : table) {
        if (c == '\n') {
            wide.append(cell, 0, cell.size() - 1);
            cell = "," + units.time_cell(step);
        }
        wide += c;
    }
    return wide;
}

}  // namespace stencil
