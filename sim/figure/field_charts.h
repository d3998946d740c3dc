// Charts of a field: its spectrum, and its phase plane.
#pragma once

#include <span>
#include <string>

#include "sim/figure/chart.h"
#include "sim/view/plane_density.h"
#include "sim/view/radial_spectrum.h"

namespace stencil::figure {

/// Plots mean power over wave number on logarithmic axes; `of` names the field.
Chart spectrum_chart(const RadialSpectrum& spectrum, const std::string& of);

/// Plots the density of cells in the plane of two components, and probes' trajectories (x, y).
Chart plane_chart(PlaneDensity density,
                  const std::string& x_name,
                  const std::string& y_name,
                  std::vector<ChartSeries> ways = {});

}  // namespace stencil::figure
