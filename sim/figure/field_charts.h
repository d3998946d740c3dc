// Charts of a field: its spectrum, and its cells in the plane of two components.
#pragma once

#include <span>
#include <string>

#include "sim/figure/chart.h"
#include "sim/view/plane_density.h"
#include "sim/view/radial_spectrum.h"

namespace stencil::figure {

/// The mean power of the waves over their wave number, both logarithmic; `of` names the field.
Chart spectrum_chart(const RadialSpectrum& spectrum, const std::string& of);

/// Where the cells are, and the ways of single ones, each as a series of points (x, y).
Chart plane_chart(PlaneDensity density,
                  const std::string& x_name,
                  const std::string& y_name,
                  std::vector<ChartSeries> ways = {});

}  // namespace stencil::figure
