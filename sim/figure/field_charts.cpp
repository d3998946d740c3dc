#include "sim/figure/field_charts.h"

#include <utility>

namespace stencil::figure {

Chart spectrum_chart(const RadialSpectrum& spectrum, const std::string& of) {
    Chart chart{"spectrum", "Radial power spectrum of " + of, "Wave number", "Power"};
    chart.log_x = chart.log_y = true;
    ChartSeries& series = chart.series.emplace_back();
    series.markers = false;
    for (std::size_t i = 0; i < spectrum.power.size(); ++i)
        series.points.push_back({spectrum.wave_number[i], spectrum.power[i]});
    return chart;
}

Chart plane_chart(PlaneDensity density,
                  const std::string& x_name,
                  const std::string& y_name,
                  std::vector<ChartSeries> ways) {
    Chart chart{"phase", "Cells in the plane of " + x_name + " and " + y_name, x_name, y_name};
    chart.series = std::move(ways);
    chart.density = std::move(density);
    return chart;
}

}  // namespace stencil::figure
