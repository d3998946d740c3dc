// Physical units of length and time. No result depends on them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {

struct RunSpec;

/// The physical size of a length or time of 1, such as 0.01 m.
struct Unit {
    double size = 1;   ///< > 0
    std::string name;  ///< empty: not given
    bool given() const { return !name.empty(); }
    friend bool operator==(const Unit&, const Unit&) = default;
};

/// Parses "0.01 m", "0.01m" or "m"; empty for an empty text. Throws InputError that names the setting.
Unit read_unit(std::string_view text, std::string_view setting);
/// Parses a unit's name, such as "mol/L". Throws InputError that names the setting.
std::string read_unit_name(std::string_view text, std::string_view setting);
/// A name with a unit behind it: "v (mol/L)", or the name alone without one.
std::string with_unit(const std::string& name, const std::string& unit);
/// Formats a unit so that read_unit() takes it.
std::string to_string(const Unit& unit);

/// The edge of a cell in the unit of length.
double cell_size(const RunSpec& spec);

/// x and y of the field's left upper corner, in the unit of length: `origin` of the text, else 0, 0.
std::array<double, 2> corner_of(const RunSpec& spec);

/// The physical time at a step: the sum of dt as it changed. Empty if dt is an undecided share of its limit
/// or a changed text leaves it open.
std::optional<double> time_at(const RunSpec& spec, long long step);
/// Text such as "12.5 s"; empty if the time is unknown.
std::string time_text(const RunSpec& spec, long long step);

/// Coordinates and units for the columns of tables.
struct TableUnits {
    Unit cell = {};                     ///< edge of a cell
    std::array<double, 2> corner = {};  ///< of the field
    std::string time_name = {};
    std::function<std::optional<double>(long long step)> time = nullptr;  ///< null: no time column

    double x(double cells) const { return corner[0] + cells * cell.size; }
    double y(double cells) const { return corner[1] + cells * cell.size; }
    std::string place_head() const;               ///< "x (m),y (m),"
    std::string time_head() const;                ///< "time (s),"
    std::string time_cell(long long step) const;  ///< "12.5,"
};
/// Units of a run in its current settings; refers to `document`.
TableUnits table_units(const RunSpec& now, const RunSpec& document);
/// A table of one moment, with its time as the last column.
std::string with_time(const std::string& table, const RunSpec& document, long long step);

}  // namespace stencil
