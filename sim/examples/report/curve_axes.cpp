#include "sim/examples/report/curve_axes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stencil {
namespace {

// Okabe and Ito's palette without its yellow, which is too pale for lines.
constexpr Rgb kColors[] = {{0, 114, 178},
                           {213, 94, 0},
                           {0, 158, 115},
                           {204, 121, 167},
                           {230, 159, 0},
                           {86, 180, 233},
                           {102, 76, 168}};

constexpr double kRoom = 0.06;  // of the axis, on either side

CurveAxis axis_over(const ReportCurve& curve, double ReportPoint::*value, bool logarithmic) {
    CurveAxis axis{{}, logarithmic};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points) {
            const double one = point.*value;
            if (!axis.holds(one)) continue;
            low = std::min(low, logarithmic ? std::log(one) : one);
            high = std::max(high, logarithmic ? std::log(one) : one);
        }
    if (!(low <= high)) low = logarithmic ? 0 : -1, high = 1;
    // All points at one place stand in the middle.
    const double width = high > low ? high - low : logarithmic ? 2 : std::max(std::abs(high), 1.0);
    const double middle_room = high > low ? kRoom * width : width / 2;
    low -= middle_room;
    high += middle_room;
    axis.range = logarithmic ? ValueRange{std::exp(low), std::exp(high)} : ValueRange{low, high};
    return axis;
}

}  // namespace

bool CurveAxis::holds(double value) const {
    return std::isfinite(value) && (!logarithmic || value > 0);
}

double CurveAxis::place(double value) const {
    if (logarithmic) return std::log(value / range.low) / std::log(range.high / range.low);
    return (value - range.low) / (range.high - range.low);
}

figure::Ticks CurveAxis::ticks(int most) const {
    return logarithmic ? figure::log_ticks(range, most) : figure::value_ticks(range, std::min(most, 8));
}

CurveAxes axes_of(const ReportCurve& curve) {
    return {axis_over(curve, &ReportPoint::x, curve.log_x), axis_over(curve, &ReportPoint::y, curve.log_y)};
}

Rgb series_color(std::size_t index) {
    return kColors[index % std::size(kColors)];
}

}  // namespace stencil
