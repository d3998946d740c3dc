// A benchmark as text, JSON, CSV and chart.
#pragma once

#include <string>

#include "sim/bench/ladder.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

/// Results of a benchmark.
struct LadderReport {
    std::string device;
    LadderSpec spec;  ///< resolved
    LadderLimits limits;
    std::vector<LadderRow> rows;
    bool interrupted = false;
};

LadderReport make_report(const Ladder& ladder, const Machine& machine);

/// Returns bench.json; values that were not measured, and speeds of exact n-step propagation, are null.
nlohmann::ordered_json to_json(const LadderReport& report);

/// Returns bench.csv with the same rows and a header.
std::string to_csv(const LadderReport& report);

// Text for the terminal: configuration and limits, the header of the table, and a line for each row.
std::string intro_text(const LadderReport& report);
std::string header_text(const LadderReport& report);
std::string row_text(const LadderReport& report, const LadderRow& row);

/// Plots speed over size on logarithmic axes, with the machine's limits as dashed lines; a dot chart if there
/// is one size. Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_ladder(const LadderReport& report, figure::FigureFormat format);

}  // namespace stencil
