// The results of an example: timings with their errors, curves, tables. The command line prints it, the panel
// draws it, JSON and CSV store it.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/figure/chart.h"
#include "sim/text/json.h"

namespace stencil {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// How fast something went, beside the machine's limit for it.
struct Rate {
    double value = 0;
    std::string unit;        ///< "GB/s", "TFLOP/s"
    double limit = 0;        ///< in the same unit; 0: not known
    std::string limit_name;  ///< what the limit is, and whether measured: "copy, measured"
};

/// Bytes of GPU memory: what was said in advance, and the most that there was at once.
struct GpuMemoryUse {
    double predicted = 0;
    double actual = 0;  ///< filled in by measure()
};

/// One way of doing one piece of work.
struct ReportRow {
    std::string work;  ///< what is computed; rows of the same work and precision are compared
    std::string name;  ///< how: "OpenBLAS", "cuBLAS", "shared-memory tile"
    Device backend = Device::cpu;
    DType dtype = DType::float32;
    std::string why_not = {};  ///< why nothing was measured; empty where it was

    double seconds = kNotMeasured;  ///< of the whole work, median of the repeats, data in place
    double spread = 0;              ///< slowest minus fastest repeat, as a share of the median
    int repeats = 0;
    double to_device_seconds =
        kNotMeasured;                       ///< bringing the operands to the GPU, and the result back, where
    double to_host_seconds = kNotMeasured;  ///< that was done and is not part of `seconds`

    double error = kNotMeasured;  ///< relative 2-norm against float64
    std::string check = {};       ///< what was checked and how it came out, in a few words
    bool failed = false;          ///< a check came out wrong that should hold
    bool unreached = false;       ///< an accuracy that was asked for is not reached, or not known to be
    bool inexact = false;         ///< less accurate than its precision, by its nature
    bool not_compared = false;    ///< a lesson rather than a rival: left out of the speed-ups

    std::vector<Rate> rates = {};  ///< the one that limits first
    std::optional<GpuMemoryUse> gpu_memory = {};
    std::vector<std::pair<std::string, nlohmann::ordered_json>> more =
        {};  ///< further numbers by name: "iterations", "layout_seconds"

    bool measured() const { return why_not.empty(); }
};

using ReportPoint = figure::ChartPoint;
using ReportSeries = figure::ChartSeries;
using ReportCurve = figure::Chart;

/// A table of further results.
struct ReportTable {
    std::string id;  ///< its file's name: "coefficients"
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;
};

/// How much faster the fastest GPU row of a work is than the fastest CPU row.
struct SpeedUp {
    std::string work;
    DType dtype = DType::float32;
    std::string cpu, gpu;  ///< the rows' names
    double ratio = 0;
};

/// A point that moves along a curve with a logarithmic slider, while the result is still there.
struct LivePoint {
    double x = 0, y = 0;
    std::vector<std::pair<std::string, double>> numbers;
};
struct LiveCurve {
    std::string curve;     ///< the ReportCurve's id
    std::string variable;  ///< "c"
    double low = 0, high = 0;
    /// Quick enough for every frame; may be called from any thread, one at a time.
    std::function<LivePoint(double)> at;
};

struct Report {
    std::string example;
    std::string cpu, gpu;  ///< the devices' names; gpu: why there is none, where has_gpu is false
    bool has_gpu = false;
    int threads = 1;
    nlohmann::ordered_json settings;  ///< by the options' names
    std::vector<ReportRow> rows;
    std::vector<ReportCurve> curves;
    std::vector<ReportTable> tables;
    std::vector<std::string> notes;  ///< what to know about the results, a sentence or two each
    std::vector<std::string> files;  ///< that the example itself wrote
    std::shared_ptr<const LiveCurve> live;
    double wall_seconds = 0;
    bool interrupted = false;
};

/// For each work and precision that was measured on both sides. Rows that are inexact, have failed or are
/// lessons do not count.
std::vector<SpeedUp> speedups_of(const Report& report);

}  // namespace stencil
