// What a run tells about itself.
#pragma once

#include <optional>
#include <string>

#include "kernels/view/statistics/statistics.h"
#include "sim/machine/machine.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/json.h"

namespace stencil {

struct RunReport {
    std::string device;
    RunSpec spec;         ///< resolved, as it is at the end
    long long steps = 0;  ///< done
    int processes = 1;    ///< that stepped it together
    std::string way;      ///< in which the last ones were made (SteppingWay::name)
    Timings timings;
    Statistics start, end;                                       ///< of the first component
    std::vector<std::pair<std::string, Statistics>> components;  ///< of each field at the end
    std::size_t not_finite = 0;                                  ///< cells at the end
    std::string field_hash;                                      ///< of the state at the end
    std::string stable;                   ///< the step beside its limit; typed equations
    bool conserved = false;               ///< the total ought to stay
    std::optional<double> copy_gb_per_s;  ///< measured, where it was
    std::vector<std::pair<std::string, double>>
        step_errors;            ///< of each component, where they were asked for
    std::string method_choice;  ///< what `auto` chose and why; empty: the method was asked for
};

/// `fields` are those at the end.
RunReport make_report(Simulation& simulation, const std::vector<OutputField>& fields, const Machine& machine);

/// timings.json. Rates are null where no step was done, and where the method jumps: `jumps` is how many there
/// were then, and null else.
nlohmann::ordered_json to_json(const RunReport& report);

/// A few lines for people: what was run, and how fast.
std::string to_text(const RunReport& report);

}  // namespace stencil
