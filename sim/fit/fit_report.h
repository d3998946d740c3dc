// What a fit found, as text, tables, JSON and pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/figure/chart.h"
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

/// The values of a target that is a field, those of the fitted run, and the run's less the target's.
struct FieldResidual {
    std::size_t index = 0;      ///< of the target, tables counted
    std::string formula, when;  ///< when: " at t = 300", empty for the end of the run
    Field target, run, difference;
};
/// In the order of the targets, after the first evaluation.
std::vector<FieldResidual> field_residuals(const Fit& fit);

/// The root mean square of the residuals by evaluation.
figure::Chart convergence_chart(const Result& result);
/// A chart for each target that is a table: its values as points, and the fitted run as lines.
std::vector<figure::Chart> table_charts(const Fit& fit);

/// Writes the tables, pictures of the residuals, and the fitted run as spec.json and as a model's text, and
/// returns the paths. Throws MachineError.
std::vector<std::filesystem::path> write_fit(const std::filesystem::path& folder, const Fit& fit);

}  // namespace stencil::fitting
