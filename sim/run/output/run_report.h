// The report of a run: timings.json and the summary on the terminal.
#pragma once

#include <optional>
#include <string>

#include "kernels/cuda/nvml.h"
#include "kernels/view/statistics/statistics.h"
#include "sim/machine/machine.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/json.h"

namespace stencil {

struct RunReport {
    std::string ended_by;  ///< "steps", "time", "until", "not finite", "interrupt"; empty: unknown
    std::string device;
    RunSpec spec;         ///< resolved, at the end
    long long steps = 0;  ///< done
    double time = 0;      ///< t at the end
    int processes = 1;    ///< number of processes of the run
    std::string way;      ///< executor of the last steps (ExecutionPath::name)
    Timings timings;
    Statistics start, end;                                       ///< of the first component
    std::vector<std::pair<std::string, Statistics>> components;  ///< of each field at the end
    std::size_t not_finite = 0;                                  ///< cells at the end
    std::string field_hash;                                      ///< hash of the final state
    std::string stable;                   ///< dt relative to its limit, for typed equations
    bool conserved = false;               ///< the total should be conserved
    std::optional<double> copy_gb_per_s;  ///< if measured
    /// Of the first GPU, from this process's first step to its last, with what was looked at and written
    /// meanwhile.
    std::optional<PowerMeter::Use> power;
    long long power_steps = 0;
    std::vector<std::pair<std::string, double>> step_errors;  ///< per component, if asked for
    std::string method_choice;  ///< what `auto` chose and why; empty if a method was given
};

/// `fields` are the final fields.
RunReport make_report(Simulation& simulation, const std::vector<OutputField>& fields, const Machine& machine);

/// Whether steps were timed. Spectral methods jump, which is no speed.
bool has_speed(const RunReport& report);

/// The contents of timings.json. Rates are null without a speed. `jumps` is the number of propagator
/// applications of a spectral method, null for others.
nlohmann::ordered_json to_json(const RunReport& report);

/// Whether the run was given no start and is 0 everywhere.
bool stays_zero(const RunReport& report);

/// A summary of a few lines for the terminal.
std::string to_text(const RunReport& report);

}  // namespace stencil
