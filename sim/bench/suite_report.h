// A benchmark as text, JSON and chart, and as the figures that method `auto` uses (bench --save).
#pragma once

#include <string>
#include <vector>

#include "sim/bench/kernel_profile.h"
#include "sim/bench/suite.h"
#include "sim/figure/figure.h"
#include "sim/run/choose_method.h"
#include "sim/text/json.h"

namespace stencil {

/// Results of a benchmark.
struct SuiteReport {
    std::string device;
    SuiteSpec spec;  ///< resolved
    SuiteLimits limits;
    std::vector<SuiteRow> rows;
    bool interrupted = false;
    std::vector<RowProfile> profiles = {};  ///< of --profile
};

SuiteReport make_report(const Suite& suite, const Machine& machine);

/// Returns bench.json; values that were not measured, and speeds of exact n-step propagation, are null.
nlohmann::ordered_json to_json(const SuiteReport& report);

// Text for the terminal: configuration and limits, the header of the table, and a line for each row.
std::string intro_text(const SuiteReport& report);
std::string header_text(const SuiteReport& report);
std::string row_text(const SuiteReport& report, const SuiteRow& row);

/// Plots speed over size on logarithmic axes, with the machine's limits as dashed lines; a dot chart if there
/// is one size. Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw(const SuiteReport& report, figure::FigureFormat format);

/// The roofline (speed_chart.h) as a file; none if no row has a place in it.
std::string draw_roofline(const SuiteReport& report, figure::FigureFormat format);

/// Measurements of one device: `long_calls` with many steps per call, `single_steps` (--steps 1) with one.
/// Rows keep the dtype in which they were measured. Rows without a speed, and sizes that only one of the two
/// has, are ignored.
struct PrecisionRows {
    DType dtype = DType::float32;
    std::vector<SuiteRow> long_calls;
    std::vector<SuiteRow> single_steps;
};
std::vector<MeasuredMethod> measured_methods(const std::vector<PrecisionRows>& rows);

}  // namespace stencil
