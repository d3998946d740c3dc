// How much several processes gain on one field: 1, 2, 4 ... of them in one run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/bench/ladder_spec.h"

namespace stencil {

enum class Scaling {
    strong,  ///< one field, shared by more and more
    weak,    ///< each process has as many rows as the field of one
};

struct ScaleSpec {
    Scaling scaling = Scaling::strong;
    LadderSpec ladder;  ///< resolved: one method, and the size of one process's field
};

struct ScaleRow {
    int processes = 1;
    Size size;
    long long steps = 0;  ///< of a repeat; 1 where the method jumps, whose step is a jump of any length
    int repeats = 0;
    double seconds = 0;     ///< of a step, median
    double spread = 0;      ///< slowest minus fastest repeat, as a share of the median
    double efficiency = 1;  ///< against as many as this alone: speed / (processes * speed of one)
    /// Of the slowest process that steps its rows and their halo without the others; 0 where it was not
    /// measured.
    double seconds_alone = 0;
    double own_share = 1;                              ///< of these rows, those that are not the halo's
    double bytes_per_step = 0, messages_per_step = 0;  ///< given by process 0
    double formula_bytes_per_step = 0;                 ///< what they ought to be
    std::optional<double> predicted;                   ///< efficiency by sim/spread/scale_model.h
    std::string hash;                                  ///< field_hash after the steps, in strong scaling

    bool jumps = false;
    double gcells_per_s() const { return double(size.nx) * size.ny / seconds / 1e9; }
    /// Of a step, what the slowest process does not spend on its own rows.
    double exchange_share() const { return seconds_alone > 0 ? 1 - seconds_alone / seconds : 0; }
    /// Against as many as the slowest process alone, of whose rows the halo's are no work.
    double efficiency_against_slowest() const { return seconds_alone * own_share / seconds; }
};

struct Scaled {
    ScaleSpec spec;
    std::string device;
    bool same_bits = true;  ///< all hashes are equal
    bool interrupted = false;
    std::vector<ScaleRow> rows;
    /// Of the model alone, for numbers of processes that are not here: efficiencies.
    std::vector<std::pair<int, double>> foretold;
};

/// Of what bench was asked for: of its methods and sizes the first. Throws InputError.
ScaleSpec scale_spec(Scaling scaling, LadderSpec ladder, const Machine& machine);

/// `going_on` is told what is measured; false ends it. Throws InputError, MachineError and CudaError.
Scaled measure_scale(const ScaleSpec& spec,
                     const Machine& machine,
                     const std::function<bool(const std::string& doing)>& going_on);

}  // namespace stencil
