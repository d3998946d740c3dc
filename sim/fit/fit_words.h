// A fit in the words of its command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/fit/fit.h"

namespace stencil::fitting {

struct FitWords {
    std::vector<std::string> targets;     ///< as --target has them
    std::vector<std::string> parameters;  ///< as --fit has them
    std::vector<double> noise;            ///< of all values, or of each target's

    bool empty() const { return targets.empty() && parameters.empty() && noise.empty(); }
    friend bool operator==(const FitWords&, const FitWords&) = default;
};

/// As read_parameter() reads it.
std::string to_string(const Parameter& parameter);

/// Reads the targets' files. Throws InputError.
FitSpec read_fit(RunSpec run, const FitWords& words);

/// The size of the first target that is an array or a picture; empty: all are tables. Throws InputError.
std::optional<Size> size_of_targets(const FitWords& words);

/// The shell-quoted command that repeats a fit of a resolved run.
std::string command_text(const RunSpec& run, const FitWords& words);

nlohmann::ordered_json to_json(const FitWords& words);
/// Throws nlohmann::json::exception.
FitWords fit_words_from_json(const nlohmann::ordered_json& json);

}  // namespace stencil::fitting
