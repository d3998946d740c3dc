// A report as text for people, as JSON and CSV for programs, and as files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/examples/report/report.h"
#include "sim/figure/chart.h"
#include "sim/text/json.h"

namespace stencil {

/// report.json: times in seconds, memory in bytes. What was not measured is null.
nlohmann::ordered_json to_json(const Report& report);

// With a header each: the rows; a table; the points of a curve.
std::string rows_csv(const Report& report);
std::string table_csv(const ReportTable& table);
std::string curve_csv(const ReportCurve& curve);

/// "12.3 us", "4.56 ms", "1.23 s"; a dash where it is not known.
std::string format_time(double seconds);

/// A row's further number for people: its name in words, and its value; "layout_seconds" is a time.
std::string more_name(std::string_view name);
std::string more_text(std::string_view name, const nlohmann::ordered_json& value);

/// "4180 GB/s, 98% of copy, measured": the first rate of a row; empty without one.
std::string rate_text(const ReportRow& row);

// For people: what runs on what; the rows from the first one that was not shown before, under a header for
// each group; and all that follows the rows. Where there is no GPU, its rows are one line of the closing
// text.
std::string intro_text(const Report& report);
std::string rows_text(const Report& report, std::size_t first);
std::string closing_text(const Report& report);

/// A row of which there is no more to say than that there is no GPU; and what to say of all of them, empty
/// where there are none.
bool lacks_gpu(const Report& report, const ReportRow& row);
std::string missing_gpu_text(const Report& report);

/// "sum, float32: CUB (GPU) is 352 times as fast as OpenBLAS (CPU)".
std::string speedup_text(const SpeedUp& speedup);

/// Rows of one group stand under one header.
bool same_group(const ReportRow& a, const ReportRow& b);

// As files: text, tables and charts.

/// The times of all rows that were measured, grouped by work and precision.
figure::DotChart times_chart(const Report& report);

/// Into the folder, each atomically: report.json, rows.csv, times.png and times.svg, and for each curve
/// ID.png, ID.svg and ID.csv, for each table ID.csv. Returns their paths. Throws MachineError.
std::vector<std::filesystem::path> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace stencil
