#include "sim/run/choose_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace stencil {
namespace {

/// Measured on a square field of edge x edge cells under the zero boundary.
struct MeasuredSpeed {
    double edge;
    double us_per_step;  ///< in a long call
    double us_alone =
        0;  ///< a single step, of a method that fuses them: a pass over the memory that makes only one
};

/// One method in one precision.
struct MeasuredMethod {
    std::string_view name;
    std::size_t cell_bytes;
    double us_per_call;  ///< what a call takes besides: launching, waking threads
    double insulated,
        periodic;  ///< the time of a step under these boundaries, as a multiple of that under zero
    std::vector<MeasuredSpeed> speeds;  ///< by rising edge
};

// `stencilscope bench` measures these: us_per_step as it is; with --steps 1 it shows us_per_call beyond that,
// or us_alone + us_per_call where steps are fused. A method without a row is never chosen. GPU: one H200;
// CPU: two AVX-512 cores.
constexpr std::size_t kFloat = sizeof(float), kDouble = sizeof(double);

std::span<const MeasuredMethod> measured_methods() {
    static const MeasuredMethod table[] = {
        {"reference", kFloat, 0, 1, 1, {{512, 372}, {2000, 7680}}},
        {"reference", kDouble, 0, 1, 1, {{512, 372}, {2000, 7680}}},
        {"cpu", kFloat, 6, 1, 1, {{512, 11.8, 100}, {2000, 200, 1980}, {8192, 3300, 31300}}},
        {"cpu", kDouble, 6, 1, 1, {{512, 35.4, 108}, {2000, 424, 3640}, {8192, 7000, 63600}}},
        {"tutorial", kFloat, 5.3, 1, 1, {{512, 4.35}, {2000, 40.1}, {8192, 635}}},
        {"tutorial", kDouble, 5.2, 1, 1, {{512, 4.47}, {2000, 40.8}, {8192, 640}}},
        {"naive",
         kFloat,
         5.2,
         1.01,
         1.01,
         {{256, 1.50}, {512, 2.15}, {1024, 4.06}, {2000, 11.6}, {4096, 62.2}, {8192, 241}, {16384, 949}}},
        {"naive", kDouble, 5.2, 1.01, 1.01, {{512, 2.23}, {2000, 20.7}, {8192, 305}}},
        {"tiled",
         kFloat,
         5.0,
         1.01,
         1.01,
         {{256, 2.10}, {512, 2.16}, {1024, 3.14}, {2000, 7.2}, {4096, 33.9}, {8192, 128}, {16384, 508}}},
        {"tiled", kDouble, 5.2, 1.01, 1.01, {{512, 2.35}, {2000, 16.8}, {8192, 254}}},
        {"streaming",
         kFloat,
         5.0,
         1.03,
         1.05,
         {{256, 3.18, 8.2},
          {512, 3.04, 8.2},
          {1024, 1.91, 4.0},
          {2000, 2.51, 11.2},
          {4096, 4.93, 40.8},
          {8192, 13.9, 156},
          {16384, 51.5, 588}}},
        {"streaming",
         kDouble,
         5.0,
         1.03,
         1.02,
         {{512, 1.34, 4.1},
          {1024, 2.04, 7.2},
          {2000, 3.23, 19},
          {4096, 7.99, 77},
          {8192, 28.6, 309},
          {16384, 110, 1267}}},
        {"resident",
         kFloat,
         5.0,
         1.03,
         1.04,
         {{256, 0.283, 19},
          {512, 0.330, 26},
          {1024, 0.533, 29},
          {1400, 0.991, 48},
          {2000, 1.17, 71},
          {2128, 1.91, 62}}},
        {"resident",
         kDouble,
         5.0,
         1.01,
         1.01,
         {{256, 0.480, 22}, {512, 0.524, 25}, {1024, 1.39, 31}, {1448, 1.93, 44}}},
    };
    return table;
}

// Between two sizes a time is taken to go with a power of the edge; beyond the largest it goes with the
// cells, and below the smallest it stays, because launches and synchronisation are what is left of it.
double at_edge(std::span<const MeasuredSpeed> speeds, double edge, double MeasuredSpeed::*time) {
    if (edge <= speeds.front().edge) return speeds.front().*time;
    const MeasuredSpeed& last = speeds.back();
    if (edge >= last.edge) return last.*time * (edge / last.edge) * (edge / last.edge);
    const auto above = std::ranges::upper_bound(speeds, edge, {}, &MeasuredSpeed::edge);
    const MeasuredSpeed& from = *(above - 1);
    const double way = std::log(edge / from.edge) / std::log(above->edge / from.edge);
    return from.*time * std::pow(*above.*time / from.*time, way);
}

// All steps of a call, in us. The steps that fill no whole pass take between what a single one does and what
// the pass would.
double us_of_steps(const Method& method, const MeasuredMethod& row, const MethodRequest& request) {
    const double edge = std::sqrt(double(request.shape.nx) * request.shape.ny);
    const double step = at_edge(row.speeds, edge, &MeasuredSpeed::us_per_step);
    if (method.steps_fused == 1) return double(request.steps) * step;
    const double alone = at_edge(row.speeds, edge, &MeasuredSpeed::us_alone);
    if (method.steps_fused == 0) return alone + double(request.steps - 1) * step;
    const long long rest = request.steps % method.steps_fused;
    const double whole = double(request.steps - rest) * step;
    if (rest == 0) return whole;
    const double pass = method.steps_fused * step;
    return whole + alone + (pass - alone) * double(rest - 1) / double(method.steps_fused - 1);
}

double boundary_factor(const MeasuredMethod& row, Boundary boundary) {
    switch (boundary) {
        case Boundary::insulated:
            return row.insulated;
        case Boundary::periodic:
            return row.periodic;
        case Boundary::zero:
            break;
    }
    return 1;
}

bool can_step(const Method& method, const MethodRequest& request) {
    return method.model == request.model && method.device == request.device && !method.jumps &&
           (!method.unfit || method.unfit(request.shape, request.cell_bytes).empty());
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// Of a method that can.
double measured_seconds(const Method& method, const MethodRequest& request) {
    for (const MeasuredMethod& row : measured_methods())
        if (row.name == method.name && row.cell_bytes == request.cell_bytes)
            return 1e-6 * (row.us_per_call +
                           boundary_factor(row, request.boundary) * us_of_steps(method, row, request));
    return kNever;
}

}  // namespace

double expected_seconds(const Method& method, const MethodRequest& request) {
    return can_step(method, request) ? measured_seconds(method, request) : kNever;
}

const Method& choose_method(const MethodRequest& request, const std::function<bool(const Method&)>& allowed) {
    const Method* best = nullptr;
    double least = kNever;
    for (const Method& method : methods()) {
        if ((allowed && !allowed(method)) || !can_step(method, request)) continue;
        const double seconds = measured_seconds(method, request);
        if (best && seconds >= least) continue;
        best = &method;
        least = seconds;
    }
    if (!best) throw std::logic_error("a device without a method that fits every field");
    return *best;
}

}  // namespace stencil
