// Work-precision comparison of time integrators: error at one time over seconds of computation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bench/suite_spec.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

struct WorkPrecisionSpec {
    RunSpec run;  ///< a typed model, its parameters, initial condition, size, backend and threads
    std::vector<DType> dtypes{DType::float32, DType::float64};
    std::vector<std::string> methods;  ///< empty: all of the device except the reference
    double until = 0;                  ///< simulated time to compare at; 0: 200 of rk4's largest stable steps
};

/// Makes a spec from a benchmark's. Throws InputError if settings contradict each other or --work-precision.
WorkPrecisionSpec work_precision_spec(const SuiteSpec& suite, double until, std::vector<DType> dtypes);

/// One run.
struct WorkPrecisionRow {
    std::string integrator;
    const Method* method = nullptr;
    DType dtype = DType::float64;
    std::string why_not;  ///< why the integrator was not measured; empty if it was
    double dt = 0;
    long long steps = 0;
    double seconds = 0;  ///< of stepping: median of the runs
    double error = 0;    ///< relative 2-norm over all components; not finite if the field is not
};

struct WorkPrecision {
    std::string device;
    WorkPrecisionSpec spec;  ///< resolved
    double reference_dt = 0;
    /// Difference between the reference solution and a run with twice its dt, an upper bound of its error.
    double reference_error = 0;
    std::vector<WorkPrecisionRow> rows;
    bool interrupted = false;

    /// Whether the row's error is at least ten times the reference's.
    bool shows(const WorkPrecisionRow& row) const;
};

/// Called regularly with the share done and the present activity; returning false ends the measurement.
using GoOn = std::function<bool(double share, const std::string& doing)>;

/// The reference solution is rk4 in float64 with a quarter of the smallest dt measured for rk4. Throws
/// InputError if there is nothing to compare: maps, noise, or models that rk4 cannot step.
WorkPrecision measure_work_precision(WorkPrecisionSpec spec, const Machine& machine, const GoOn& go_on);

nlohmann::ordered_json to_json(const WorkPrecision& measured);
/// Text for the terminal: configuration, and a line for each run.
std::string to_text(const WorkPrecision& measured);

/// Plots error over seconds, both logarithmic: a curve for each integrator, method and precision (float32
/// dashed), with lines at the precisions' rounding errors. Errors below the reference's accuracy are omitted.
figure::Chart work_precision_chart(const WorkPrecision& measured);
/// Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw(const WorkPrecision& measured, figure::FigureFormat format);

}  // namespace stencil
