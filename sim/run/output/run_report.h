// What a run tells about itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kernels/view/statistics/statistics.h"
#include "sim/machine/machine.h"
#include "sim/run/simulation.h"

namespace stencil {

struct RunReport {
    std::string device;
    RunSpec spec;         ///< resolved, as it is at the end
    long long steps = 0;  ///< done
    Timings timings;
    Statistics start, end;                ///< of the field
    std::string field_hash;               ///< of the field at the end
    bool conserved = false;               ///< the total ought to stay
    std::optional<double> copy_gb_per_s;  ///< measured, where it was
    std::string method_choice;            ///< what `auto` chose and why; empty: the method was asked for
};

RunReport make_report(Simulation& simulation, const Field& end, const Machine& machine);

/// timings.json. Rates are null where no step was done, and where the method jumps: `jumps` is how many there
/// were then, and null else.
nlohmann::ordered_json to_json(const RunReport& report);

/// A few lines for people: what was run, and how fast.
std::string to_text(const RunReport& report);

}  // namespace stencil
