// What the lengths and times of a run are in the world. Nothing that is computed depends on it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {

struct RunSpec;

/// How much a length or a time of 1 is: 0.01 m.
struct Unit {
    double size = 1;   ///< > 0
    std::string name;  ///< empty: none is given
    bool given() const { return !name.empty(); }
    friend bool operator==(const Unit&, const Unit&) = default;
};

/// "0.01 m", "0.01m" or "m"; an empty text is none. Throws InputError, naming the option.
Unit read_unit(std::string_view text, const std::string& option);
/// As read_unit() takes it.
std::string to_string(const Unit& unit);

/// The edge of a cell, in the unit of lengths.
double cell_size(const RunSpec& spec);

/// The time at a step, in the unit of times: of typed equations dt after dt, as it was set on the way; of the
/// built-in diffusion 1 a step. Empty where dt is a share of its limit, or a text was changed on the way and
/// no edit says which dt that came to.
std::optional<double> time_at(const RunSpec& spec, long long step);
/// "12.5 s"; empty where the time is not known, or is but the step.
std::string time_text(const RunSpec& spec, long long step);

/// Further columns of tables; none where the run has no units.
struct TableUnits {
    Unit cell;  ///< its edge
    std::string time_name;
    std::function<std::optional<double>(long long step)> time = nullptr;  ///< null: no such column

    std::string time_head() const;                ///< "time (s),"
    std::string time_cell(long long step) const;  ///< "12.5,"
};
/// Of a run that is now so, and that this document repeats; for as long as that is there.
TableUnits table_units(const RunSpec& now, const RunSpec& document);

/// Of the built-in diffusion: D = coefficient * dx^2 / dt, in the units of lengths and times, and the
/// coefficient that a D comes to.
double diffusivity(const RunSpec& spec);
double coefficient_of(const RunSpec& spec, double diffusivity);

}  // namespace stencil
