// The results of an example: timings with their errors, curves, tables. The command line prints them, the
// panel draws them, files store them.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/figure/chart.h"
#include "sim/text/json.h"

namespace stencil {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// How fast something went, beside the machine's limit for it.
struct Rate {
    double value = 0;
    std::string unit;        ///< "GB/s", "TFLOP/s"
    double limit = 0;        ///< in the same unit; 0: not known
    std::string limit_name;  ///< what the limit is, and whether measured: "copy, measured"
};

/// One way of doing one piece of work.
struct ReportRow {
    std::string work;  ///< what is computed; rows of the same work and precision are compared
    std::string name;  ///< how: "OpenBLAS", "cuBLAS", "shared-memory tile"
    Device backend = Device::cpu;
    DType dtype = DType::float32;
    std::string type = {};     ///< of the elements, "int64", where it is no DType
    std::string why_not = {};  ///< why nothing was measured; empty where it was

    double seconds = kNotMeasured;  ///< of the whole work, median of the repeats, data in place
    double spread = 0;              ///< slowest minus fastest repeat, as a share of the median
    int repeats = 0;
    double to_device_seconds =
        kNotMeasured;                       ///< bringing the operands to the GPU, and the result back, where
    double to_host_seconds = kNotMeasured;  ///< that was done and is not part of `seconds`

    double error = kNotMeasured;  ///< relative 2-norm against float64
    std::string check = {};       ///< what was checked and how it came out, in a few words
    bool failed = false;          ///< a check came out wrong that should hold
    bool unreached = false;       ///< the requested accuracy is not reached, or not proven
    bool inexact = false;         ///< less accurate than its precision, by its nature
    bool not_compared = false;    ///< a lesson rather than a rival: left out of the speed-ups

    std::vector<Rate> rates = {};      ///< the one that limits first
    double gpu_memory = kNotMeasured;  ///< bytes, the most that there was at once
    std::vector<std::pair<std::string, nlohmann::ordered_json>> more =
        {};  ///< further numbers by name: "iterations", "layout_seconds"

    bool measured() const { return why_not.empty(); }
};

using ReportPoint = figure::ChartPoint;
using ReportSeries = figure::ChartSeries;
using ReportCurve = figure::Chart;

/// A table of further results.
struct ReportTable {
    std::string id;  ///< its file's name: "coefficients"
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;
};

/// How much faster the fastest GPU row of a work is than the fastest CPU row.
struct SpeedUp {
    std::string work;
    DType dtype = DType::float32;
    std::string cpu, gpu;  ///< the rows' names
    double ratio = 0;
};

struct Report {
    std::string example;
    std::string cpu, gpu;  ///< the devices' names; gpu: why there is none, where has_gpu is false
    bool has_gpu = false;
    int threads = 1;
    nlohmann::ordered_json settings;  ///< by the options' names
    std::vector<ReportRow> rows;
    std::vector<ReportCurve> curves;
    std::vector<ReportTable> tables;
    std::vector<std::string> notes;  ///< what to know about the results, a sentence or two each
    std::vector<std::string> files;  ///< that the example itself wrote
    std::string shortfall;           ///< which accuracy the results lack, a sentence; empty: none
    double wall_seconds = 0;
    bool interrupted = false;
};

/// For each work and precision that was measured on both sides. Rows that are inexact, have failed or are
/// lessons do not count.
std::vector<SpeedUp> speedups_of(const Report& report);

/// "12.3 us", "4.56 ms", "1.23 s"; a dash where it is not known.
std::string format_time(double seconds);

/// A row's numbers by name, null where not known: those of ReportRow, `rate`, `unit`, `limit`, `limit_name`
/// and `of_limit` of its first rate, and its further numbers.
nlohmann::ordered_json row_json(const ReportRow& row);

/// A value of row_json() for people: its name there, and its title. Names of times end in "seconds".
struct RowColumn {
    std::string name, title, tip = {};
};
/// The most important first; the further numbers of all rows follow the common columns.
std::vector<RowColumn> columns_of(const Report& report);
/// The text of a column's cell, from row_json(); empty if not known.
std::string cell_text(std::string_view column, const nlohmann::ordered_json& row);
/// The text of a table's cell; empty for null.
std::string cell_text(const nlohmann::ordered_json& cell);

// Text for a terminal: the settings and devices; the rows from number `first` on, with a header for each
// group; and all that follows the rows. Without a GPU its rows are one line of the closing text.
std::string intro_text(const Report& report);
std::string rows_text(const Report& report, std::size_t first);
std::string closing_text(const Report& report);

/// Whether the row only says that there is no GPU; and one line for all such rows, empty without any.
bool lacks_gpu(const Report& report, const ReportRow& row);
std::string missing_gpu_text(const Report& report);

/// "sum, float32: CUB (GPU) is 352 times as fast as OpenBLAS (CPU)".
std::string speedup_text(const SpeedUp& speedup);

/// Rows of one group stand under one header, its title.
bool same_group(const ReportRow& a, const ReportRow& b);
std::string group_title(const ReportRow& row);
/// "float32", "int64": the type of a row's elements.
std::string type_name(const ReportRow& row);

/// report.json: times in seconds, memory in bytes. What was not measured is null.
nlohmann::ordered_json to_json(const Report& report);

/// The times of all rows that were measured, grouped by work and precision.
figure::DotChart times_chart(const Report& report);

/// Into the folder, each atomically: report.json, rows.csv, times.png and times.svg, and for each curve
/// ID.png, ID.svg and ID.csv, for each table ID.csv. Returns their paths. Throws MachineError.
std::vector<std::filesystem::path> write_report(const Report& report, const std::filesystem::path& folder);

}  // namespace stencil
