// What a stepper's time buys: the error at one moment against the seconds to get there, for all steppers and
// a ladder of time steps each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bench/ladder_spec.h"

namespace stencil {

struct WorkPrecisionSpec {
    RunSpec run;  ///< a typed model, its parameters, start, size, backend and threads
    std::vector<DType> dtypes{DType::float32, DType::float64};
    std::vector<std::string> methods;  ///< empty: all of the device but the reference
    double until = 0;                  ///< the time of the comparison; 0: 200 of rk4's largest stable steps
};

/// From the common part of a ladder's spec. Throws InputError where settings contradict each other or
/// --work-precision.
WorkPrecisionSpec work_precision_spec(const LadderSpec& ladder, double until, std::vector<DType> dtypes);

/// One run to the end.
struct WorkPrecisionRow {
    std::string stepper;
    const Method* method = nullptr;
    DType dtype = DType::float64;
    std::string why_not;  ///< why the stepper was not measured at all; empty where it was
    double dt = 0;
    long long steps = 0;
    double seconds = 0;  ///< of stepping: the median of the runs
    double error = 0;    ///< relative 2-norm over all components; not finite where the field is not
};

struct WorkPrecision {
    std::string device;
    WorkPrecisionSpec spec;  ///< with all decided
    double reference_dt = 0;
    /// How far the reference is from a run with twice its dt: its own error is less.
    double reference_error = 0;
    std::vector<WorkPrecisionRow> rows;
    bool interrupted = false;

    /// Told apart from the reference, with a factor of ten to spare.
    bool shows(const WorkPrecisionRow& row) const;
};

/// Called every now and then with the share that is done and what is being done; false ends it.
using GoOn = std::function<bool(double share, const std::string& doing)>;

/// The reference is rk4 in float64 with a quarter of the smallest dt of rk4's own ladder. Throws InputError
/// where there is nothing to compare: maps, noise, or a model that rk4 cannot step.
WorkPrecision measure_work_precision(WorkPrecisionSpec spec, const Machine& machine, const GoOn& go_on);

}  // namespace stencil
