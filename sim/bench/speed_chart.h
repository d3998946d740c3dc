// Chart of speed over size, for benchmarks and the window.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/bench/suite.h"
#include "sim/figure/chart.h"
#include "sim/run/choose_method.h"

namespace stencil {

/// A method's speed at one size.
struct MethodSpeed {
    const Method* method = nullptr;
    double edge = 0;  ///< square root of the number of cells
    double gcells_per_s = 0;
    std::optional<double> error;  ///< of the timed field, relative 2-norm, if measured
    double spread = 0;            ///< of the repeats, see noise_text()
    double jump_seconds = 0;  ///< exact n-step propagation: time for any number of steps, instead of a speed
    int steps_fused = 1;      ///< temporal blocking depth; 0: all steps of a call
};

/// Returns the method's fixed colour; colours are safe for colour-blind readers.
Rgb method_color(const Method& method);

/// Returns the speeds of the measured rows.
std::vector<MethodSpeed> speeds_of(std::span<const SuiteRow> rows);

/// Returns limit lines: for methods that read and write each cell once per step, and for all methods.
std::vector<figure::ChartLimit> speed_limits(const SuiteLimits& limits, DType dtype);

/// Plots one curve per method that steps, in table order by edge, on logarithmic axes with ticks at the
/// edges.
figure::Chart speed_chart(std::span<const MethodSpeed> speeds, const SuiteLimits& limits, DType dtype);

/// Plots operations per second over operations per byte of memory on logarithmic axes, a point for each
/// speed, below the roofs that copies, copies within L2 (if known) and arithmetic set. A pass over memory is
/// taken to read and write each cell once, and to make all steps that the method fuses; methods that keep the
/// field on the chip, and jumps, are left out.
figure::Chart roofline_chart(std::span<const MethodSpeed> speeds, const SuiteLimits& limits, DType dtype);

/// Adds a GPU's shipped speeds of the diffusion methods in this precision as pale dashed curves, and its
/// limits; the limits' names then include the device.
void compare_with(figure::Chart& chart, const MeasuredMachine& gpu, DType dtype);

/// Returns for example "5484 GCells/s on an NVIDIA H200 (16384x16384 float32)", the method's highest speed
/// there; empty if unknown.
std::string fastest_text(const MeasuredMachine& machine, const Method& method, DType dtype);

}  // namespace stencil
