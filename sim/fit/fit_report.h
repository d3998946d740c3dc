// What a fit found, as text, tables, JSON and pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/fit/fit.h"

namespace stencil::fitting {

/// The names of the files that write_fit() may write.
std::vector<std::string> fit_files();

/// A line of the convergence, and the line of names above the first.
std::string head_text(const std::vector<Parameter>& parameters);
std::string row_text(const Iteration& iteration, std::size_t number, std::size_t values);
/// Estimates with standard errors and correlations, how the fit ended, and advice.
std::string to_text(const Result& result);

nlohmann::ordered_json to_json(const Result& result);
std::string estimates_csv(const Result& result);
std::string convergence_csv(const Result& result);

/// Writes the tables, pictures of the residuals, and the fitted run as spec.json and as a model's text, and
/// returns the paths. Throws MachineError.
std::vector<std::filesystem::path> write_fit(const std::filesystem::path& folder, const Fit& fit);

}  // namespace stencil::fitting
