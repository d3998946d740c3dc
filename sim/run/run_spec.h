// Everything that is needed to repeat a run, as spec.json and the command line have it.
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

/// The document: how the run begins, what happens on its way, and what is seen and written of it. A
/// Simulation keeps a Configuration for the start and one for now, and everything else once.
struct RunSpec : Configuration, Presentation, Output {
    long long steps = 10000;
    bool allow_unstable = false;
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, of host and GPU memory each
    EditList edits;                                 ///< changes in mid-run

    RunSpec();

    /// Another model, with its parameters and boundary as they are by default.
    void use_model(std::shared_ptr<const Model> another);

    /// What is seen: a component's name or another formula. What was asked for, where the model has it; else
    /// the text's own.
    std::string shown() const;
    /// The arrows that were asked for, where the model has their components; else none.
    std::string drawn_arrows() const;
    /// The colours that were asked for, or else the text's own; empty: nobody's.
    const std::string& chosen_colormap() const;

    /// After its edits up to the last step.
    RunSpec at_end() const;

    /// Throws InputError where settings contradict each other, now or after an edit.
    void validate() const;
    /// Throw InputError where the formula to be seen, or a component of the arrows, is there at no moment of
    /// the run.
    void require_formula() const;
    void require_arrows() const;
};

/// The row of the spec's method on its backend; the first of that name where the backend is `auto`, null
/// where the method is.
const Method* method_of(const Configuration& spec);

/// A method of this name is there on either device.
bool runs_on_both(std::string_view method);

/// The same with one setting changed, and what depends on it: a backend brings its own method
/// where the present one does not run on it, and a method its backend. Throws
/// InputError.
RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value);

/// spec.json and back. Reading throws InputError, naming what is wrong; `file` stands in the message.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// From a file. Throws InputError where it cannot be read.
RunSpec read_spec(const std::string& file);

}  // namespace stencil
