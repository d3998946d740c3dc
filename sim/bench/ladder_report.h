// A ladder as text, JSON and CSV.
#pragma once

#include <string>

#include "sim/bench/ladder.h"
#include "sim/text/json.h"

namespace stencil {

/// What was measured, on what.
struct LadderReport {
    std::string device;
    LadderSpec spec;  ///< resolved
    LadderLimits limits;
    std::vector<LadderRow> rows;
    bool interrupted = false;
};

LadderReport make_report(const Ladder& ladder, const Machine& machine);

/// bench.json. What was not measured, and the speed of a jump, is null.
nlohmann::ordered_json to_json(const LadderReport& report);

/// bench.csv: the same rows, with a header.
std::string to_csv(const LadderReport& report);

// For people: what is measured and the limits, the header of the table, and a line for each row.
std::string intro_text(const LadderReport& report);
std::string header_text(const LadderReport& report);
std::string row_text(const LadderReport& report, const LadderRow& row);

}  // namespace stencil
