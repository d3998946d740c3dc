// A report as files: text, tables and charts.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/examples/report/report.h"
#include "sim/figure/dots.h"

namespace stencil {

/// The times of all rows that were measured, grouped by work and precision.
figure::DotChart times_chart(const Report& report);

/// Into the folder, each atomically: report.json, rows.csv, times.png and times.svg, and for each curve
/// ID.png, ID.svg and ID.csv, for each table ID.csv. Returns their paths. Throws MachineError.
std::vector<std::filesystem::path> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace stencil
