#include "sim/figure/chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "sim/figure/canvas.h"
#include "sim/figure/text.h"

namespace stencil::figure {
namespace {

constexpr Rgb kColors[] = {{0, 114, 178},
                           {213, 94, 0},
                           {0, 158, 115},
                           {204, 121, 167},
                           {230, 159, 0},
                           {86, 180, 233},
                           {102, 76, 168}};

constexpr double kRoom = 0.06;  // margin, relative to the axis, on either side

// Returns half the width of a bar, which is centred on its point.
double half_bar(const ChartSeries& series) {
    return series.points.size() > 1 ? (series.points[1].x - series.points[0].x) / 2 : 0.5;
}

// Lengths in points.
constexpr double kWidth = 576;
constexpr double kChartHeight = 346;
constexpr double kSharedHeight = 250;  // of each of several charts
constexpr double kLeastShared = 110;
constexpr double kPaperMargin = 16;
constexpr double kPaperTitleSize = 12;
constexpr double kNoteSize = 8.5;
constexpr double kTitles = 42;  // height of both title lines
constexpr ChartStyle kPaper{};

// Makes a page with titles and lets `draw` fill the room below them.
template <class Draw>
std::string page(const std::string& title,
                 const std::string& note,
                 double height,
                 FigureFormat format,
                 const Draw& draw,
                 double width = kWidth) {
    const Box area{kPaperMargin, kPaperMargin + kTitles, width - 2 * kPaperMargin, height};
    const auto canvas = make_canvas(format, width, area.bottom() + kPaperMargin, clean_text(title));
    const auto line = [&](const std::string& text, double y, double size, Rgb color) {
        const FittedText fitted = fit_text(clean_text(text), area.width, size, 0.7 * size);
        canvas->text(fitted.text, {area.left, y}, {fitted.size, Anchor::start, color});
    };
    const double first = kPaperMargin + kPaperTitleSize * kCapital;
    line(title, first, kPaperTitleSize, kPaper.ink);
    line(note, first + 1.6 * kNoteSize, kNoteSize, kPaper.faint);
    draw(*canvas, area);
    return canvas->finish();
}

}  // namespace

Rgb blend(Rgb color, Rgb other, double share) {
    const auto mixed = [&](int own, int of_other) {
        return std::uint8_t(std::lround((1 - share) * own + share * of_other));
    };
    return {mixed(color.r, other.r), mixed(color.g, other.g), mixed(color.b, other.b)};
}

Rgb ChartStyle::shade(Rgb color) const {
    return blend(color, ink, ink_share);
}

bool Axis::holds(double value) const {
    return std::isfinite(value) && (!logarithmic || value > 0);
}

// Halved, because the width of a range of doubles may overflow.
double Axis::place(double value) const {
    const double low = logarithmic ? std::log(range.low) : range.low / 2;
    const double high = logarithmic ? std::log(range.high) : range.high / 2;
    return ((logarithmic ? std::log(value) : value / 2) - low) / (high - low);
}

double Axis::value(double share) const {
    if (!logarithmic) return std::lerp(range.low, range.high, share);
    return std::exp(std::lerp(std::log(range.low), std::log(range.high), share));
}

Ticks Axis::ticks(int most) const {
    return logarithmic ? log_ticks(range, most) : value_ticks(range, std::min(most, 8));
}

Axis axis_over(const std::vector<double>& values, bool logarithmic, double room) {
    constexpr double kMost = std::numeric_limits<double>::max(), kLeast = 1e-307;
    Axis axis{{}, logarithmic};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : values) {
        if (!axis.holds(value)) continue;
        low = std::min(low, logarithmic ? std::log(value) : value);
        high = std::max(high, logarithmic ? std::log(value) : value);
    }
    if (!(low <= high)) low = logarithmic ? 0 : -1, high = 1;
    // If all values are equal, they are centred.
    const double around = high > low    ? 2 * room * (high / 2 - low / 2)
                          : logarithmic ? 1
                                        : std::max(std::abs(high), 1.0) / 2;
    low -= around;
    high += around;
    axis.range = logarithmic ? ValueRange{std::max(std::exp(low), kLeast), std::min(std::exp(high), kMost)}
                             : ValueRange{std::max(low, -kMost), std::min(high, kMost)};
    return axis;
}

ChartAxes axes_of(const Chart& chart) {
    std::vector<double> x, y;
    bool any_markers = false, any_bars = false;
    for (const ChartSeries& series : chart.series) {
        any_markers |= series.markers && !series.bars;
        any_bars |= series.bars;
        const double half = series.bars ? half_bar(series) : 0;
        for (const ChartPoint& point : series.points) {
            x.insert(x.end(), {point.x - half, point.x + half});
            y.push_back(point.y);
        }
    }
    for (const ChartLimit& limit : chart.limits) y.push_back(limit.value);
    if (chart.density && !chart.density->counts.empty()) {
        x.insert(x.end(), {chart.density->x.low, chart.density->x.high});
        y.insert(y.end(), {chart.density->y.low, chart.density->y.high});
    }
    ChartAxes axes{axis_over(x, chart.log_x, any_markers ? kRoom : 0), axis_over(y, chart.log_y, kRoom)};
    if (any_bars) axes.y.range.low = 0;
    if (chart.x_range) axes.x.range = *chart.x_range;
    if (chart.y_range) axes.y.range = *chart.y_range;
    return axes;
}

Rgb series_color(std::size_t index) {
    return kColors[index % std::size(kColors)];
}

std::string chart_file(const Chart& chart, const std::string& note, FigureFormat format) {
    return page(chart.title, note, kChartHeight, format, [&](Surface& surface, const Box& area) {
        draw_chart(surface, chart, area, kPaper);
    });
}

std::string chart_file(std::span<const Chart> charts,
                       const std::string& note,
                       FigureFormat format,
                       const PageSize& size) {
    const double width = size.width > 0 ? size.width : kWidth;
    const double around = 2 * kPaperMargin + kTitles;
    const double count = double(charts.size());
    const double usual = std::max(kSharedHeight * width / kWidth, 1.5 * kLeastShared);
    const double given = (size.height - around) / count;
    const double height = count * std::max(size.height > 0 ? given : usual, kLeastShared);
    const auto draw = [&](Surface& surface, const Box& area) {
        for (std::size_t i = 0; i < charts.size(); ++i)
            draw_chart(surface,
                       charts[i],
                       {area.left, area.top + double(i) * height / count, area.width, height / count},
                       kPaper);
    };
    return page(charts.front().title, note, height, format, draw, width);
}

std::string chart_file(const DotChart& chart, const std::string& note, FigureFormat format) {
    const double height = height_of(chart, kPaper);
    return page(chart.title, note, height, format, [&](Surface& surface, const Box& area) {
        draw_dots(surface, chart, area, kPaper);
    });
}

}  // namespace stencil::figure
