// The complete description of a run, as in spec.json and on the command line.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/edit.h"
#include "sim/run/presentation.h"
#include "sim/run/problem.h"

namespace stencil {

inline constexpr long long kMaxSteps = 1'000'000'000'000;

/// How a run begins, what happens during it, and what is shown and written. A Simulation keeps one
/// Configuration for the start and one for now, and everything else once.
struct RunSpec : Configuration, Presentation, Output {
    long long steps = 10000;
    bool allow_unstable = false;
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, for host and GPU memory each
    EditList edits;                                 ///< scheduled changes

    RunSpec();

    /// Switches to another model with its default parameters and boundary.
    void use_model(std::shared_ptr<const Model> another);

    /// The shown formula: as asked for if the model has it, else the text's default.
    std::string shown() const;
    /// The arrows asked for if the model has their components; else none.
    std::string drawn_arrows() const;
    /// The colormap asked for, else the text's; may be empty.
    const std::string& chosen_colormap() const;

    /// The spec after all scheduled changes up to the last step.
    RunSpec at_end() const;

    /// Throws InputError if settings contradict each other, now or after a scheduled change.
    void validate() const;
    /// Throw InputError if the shown formula, or a component of the arrows, exists at no moment of the run.
    void require_formula() const;
    void require_arrows() const;
};

/// The row of the spec's method on its backend; with backend `auto` the first of that name, with method
/// `auto` null.
const Method* method_of(const Configuration& spec);

/// Whether both devices have a method of this name.
bool runs_on_both(std::string_view method);

/// The spec with one setting changed and what depends on it: a backend replaces a method that it lacks, and a
/// method brings its backend. Throws InputError.
RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value);

/// Write and parse spec.json. Parsing throws InputError that names `file` and what is wrong.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// Reads a spec.json. Throws InputError.
RunSpec read_spec(const std::string& file);

}  // namespace stencil
