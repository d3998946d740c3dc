// What every solver must answer to the window, whatever its device: the CPU and the CUDA tests run the same
// checks over precisions, boundaries, quantities and odd sizes, against plain loops.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

/// Pixels are the averages, interpolations and cells that kernels/view/resample.h describes; a NaN shows.
void check_pixels(stencil::Device device);

/// Percentiles equal those of the sorted cells, every bit of them, with zeros of both signs, denormal and
/// infinite numbers and NaN among the cells.
void check_percentiles(stencil::Device device);

/// Statistics, histograms and values at points.
void check_measures(stencil::Device device);

/// The base field comes from a field of either precision or from another solver.
void check_base(stencil::Device device);

}  // namespace stencil_test
