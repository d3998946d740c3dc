// Strong and weak scaling of one field over 1, 2, 4 ... processes within one run, and its reports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bench/suite_spec.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

enum class Scaling {
    strong,  ///< one field, divided among more processes
    weak,    ///< a fixed number of rows per process
};

struct ScaleSpec {
    Scaling scaling = Scaling::strong;
    SuiteSpec suite;  ///< resolved: one method, and the size of one process's field
};

struct ScaleRow {
    int processes = 1;
    Size size;
    long long steps = 0;  ///< per repeat; 1 for exact n-step propagation of any length
    int repeats = 0;
    double seconds = 0;     ///< per step, median
    double spread = 0;      ///< slowest minus fastest repeat, relative to the median
    double efficiency = 1;  ///< speed / (processes * speed of one process)
    /// Time per step of the slowest process without communication, its halo included; 0: not measured.
    double seconds_alone = 0;
    double own_share = 1;                              ///< share of the process's rows that are not halo
    double bytes_per_step = 0, messages_per_step = 0;  ///< sent by process 0
    std::string hash;                                  ///< field_hash after the steps; strong scaling only

    bool jumps = false;
    double gcells_per_s() const { return double(size.nx) * size.ny / seconds / 1e9; }
    /// Share of a step that the slowest process does not spend on its own rows.
    double exchange_share() const { return seconds_alone > 0 ? 1 - seconds_alone / seconds : 0; }
    /// Efficiency relative to the slowest process alone, counting its halo rows as no work.
    double efficiency_against_slowest() const { return seconds_alone * own_share / seconds; }
};

struct Scaled {
    ScaleSpec spec;
    std::string device;
    bool same_bits = true;  ///< whether all hashes are equal
    bool interrupted = false;
    std::vector<ScaleRow> rows;
};

/// Uses the first method and size of the benchmark's spec. Throws InputError.
ScaleSpec scale_spec(Scaling scaling, SuiteSpec suite, const Machine& machine);

/// `going_on` gets the activity; false ends the measurement. Throws InputError, MachineError and CudaError.
Scaled measure_scale(const ScaleSpec& spec,
                     const Machine& machine,
                     const std::function<bool(const std::string& doing)>& going_on);

nlohmann::ordered_json to_json(const Scaled& scale);
/// Text for the terminal: configuration, and a line for each number of processes.
std::string to_text(const Scaled& scale);
/// Plots efficiency over processes: measured, and relative to the slowest process alone. Returns the bytes of
/// the file. Throws MachineError with Cairo's reason.
std::string draw(const Scaled& scale, figure::FigureFormat format);

}  // namespace stencil
