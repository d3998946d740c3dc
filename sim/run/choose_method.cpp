#include "sim/run/choose_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "sim/run/measured_speeds.h"

namespace stencil {
namespace {

// Interpolates times between measured sizes as a power of the edge. Above the largest size time grows with
// the number of cells; below the smallest it is constant (launch and synchronisation overhead).
double at_edge(std::span<const MeasuredSpeed> speeds, double edge, double MeasuredSpeed::*time) {
    if (edge <= speeds.front().edge) return speeds.front().*time;
    const MeasuredSpeed& last = speeds.back();
    if (edge >= last.edge) return last.*time * (edge / last.edge) * (edge / last.edge);
    const auto above = std::ranges::upper_bound(speeds, edge, {}, &MeasuredSpeed::edge);
    const MeasuredSpeed& from = *(above - 1);
    const double way = std::log(edge / from.edge) / std::log(above->edge / from.edge);
    return from.*time * std::pow(*above.*time / from.*time, way);
}

// Time of all steps of a call in us. The remaining steps that do not fill a fused pass take at least one
// single step and at most a whole pass.
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
    if (boundary == Boundary::zero) return 1;
    return boundary == Boundary::insulated ? row.insulated : row.periodic;
}

bool can_step(const Method& method, const MethodRequest& request) {
    return method.model == request.model && method.device == request.device && !method.jumps &&
           (!method.unsupported_reason ||
            method.unsupported_reason(request.shape, request.cell_bytes).empty());
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// Expected time of a call from the measured figures; can_step() is checked by the caller.
double measured_seconds(const Method& method, const MethodRequest& request) {
    if (method.model != kDiffusion) return kNever;
    for (const MeasuredMethod& row : measured_figures(request.device).machine.methods)
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
    for (const Method& method : methods(request.model)) {
        if (!can_step(method, request) || (allowed && !allowed(method))) continue;
        const double seconds = measured_seconds(method, request);
        // Typed equations have no measured times: later rows of the table are faster.
        if (best && seconds >= least && request.model == kDiffusion) continue;
        best = &method;
        least = seconds;
    }
    if (!best) throw std::logic_error("a device without a method that fits every field");
    return *best;
}

}  // namespace stencil
