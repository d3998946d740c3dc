// What a sweep runs: a base run, and the settings that vary from run to run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/run_spec.h"

namespace stencil {

/// A setting, a parameter, `seed`, or the value at a side of the first component or of another one (`left`,
/// `top:v`), with the values that it takes.
struct Vary {
    std::string name;
    std::vector<std::string> values;  ///< as its option takes them
    bool log = false;                 ///< evenly spaced in its logarithm
    friend bool operator==(const Vary&, const Vary&) = default;
};

/// Reads NAME=FROM:TO:COUNT[:log] or NAME=a,b,c. Throws InputError.
Vary parse_vary(std::string_view text);
/// As parse_vary() reads it.
std::string to_string(const Vary& vary);
/// Reads a list of runs: the columns of a CSV, whose first line names them. Throws InputError.
std::vector<Vary> read_run_list(const std::filesystem::path& file);

/// The run with a value of what varies. Throws InputError.
RunSpec with_varied(RunSpec spec, std::string_view name, const std::string& value);

/// Whether the runs' steps are other operations, not the same ones with other numbers.
bool changes_text(std::string_view name);

struct SweepSpec {
    static constexpr std::size_t kMostRuns = 1'000'000;

    RunSpec base;
    std::vector<Vary> vary;            ///< the first one is the x axis, and varies fastest
    bool listed = false;               ///< all vary together, one run a value: the rows of a list
    std::vector<std::string> observe;  ///< formulas of values of the whole field
    /// What pictures show as a map, in place of the fields: a column of the table or a formula; empty:
    /// fields.
    std::string map = {};

    std::size_t count() const;
    /// Runs along the axes, the slowest first, as NumPy has shapes; a list is one axis.
    std::vector<std::size_t> shape() const;
    /// The index of a run's value of `vary[axis]`, and the value.
    std::size_t place(std::size_t run, std::size_t axis) const;
    const std::string& value(std::size_t run, std::size_t axis) const;
    /// "F=0.04, k=0.06".
    std::string name(std::size_t run) const;
    /// Throws InputError if the run's settings contradict each other.
    RunSpec run(std::size_t index) const;

    /// Throws InputError if a name is unknown or varies twice, if an observable is no value of the whole
    /// field, or if the runs have different sizes, components or precisions: their fields are one array.
    void validate() const;
};

/// The shell-quoted command that repeats a sweep whose base is resolved.
std::string command_text(const SweepSpec& sweep);

/// spec.json of a sweep, which repeats it.
nlohmann::ordered_json to_json(const SweepSpec& sweep);
/// Throws InputError that names `file`.
SweepSpec sweep_from_json(const std::string& text, const std::string& file);
/// Whether a spec.json is that of a sweep.
bool is_sweep(const std::string& text);

}  // namespace stencil
