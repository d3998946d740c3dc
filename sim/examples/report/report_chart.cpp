#include "sim/examples/report/report_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/examples/report/curve_axes.h"
#include "sim/examples/report/report_text.h"
#include "sim/figure/canvas.h"
#include "sim/figure/text.h"

namespace stencil {
namespace {

using namespace figure;

// All lengths in points.
constexpr double kWidth = 576;
constexpr double kMargin = 16;
constexpr double kTitleSize = 12;
constexpr double kLabelSize = 10;
constexpr double kTickSize = 9;
constexpr double kNoteSize = 8.5;
constexpr double kCapital = 0.73;  // height of capitals and digits in sizes
constexpr double kTick = 3.24;
constexpr double kHair = 0.5;
constexpr double kLine = 1.8;
constexpr double kMarker = 3;
constexpr double kDash = 4;
constexpr Rgb kGridColor = {228, 228, 228};
constexpr Rgb kNoteColor = {96, 96, 96};
constexpr Rgb kInk = {26, 26, 26};
constexpr Rgb kCpuColor = {230, 159, 0};
constexpr Rgb kGpuColor = {0, 114, 178};

// Of the newest work: what was measured on what. Returns where the titles end.
double draw_titles(FigureCanvas& canvas, const Report& report, const std::string& title) {
    double y = kMargin + kTitleSize * kCapital;
    const FittedText first = fit_text(clean_text(title), kWidth - 2 * kMargin, kTitleSize, 8);
    canvas.text(first.text, {kMargin, y}, {.size = first.size});
    y += kNoteSize * 1.6;
    const std::string machine = fmt::format("CPU: {}{}; stencilscope {}",
                                            report.cpu,
                                            report.has_gpu ? "; GPU: " + report.gpu : "",
                                            STENCILSCOPE_VERSION);
    const FittedText second = fit_text(clean_text(machine), kWidth - 2 * kMargin, kNoteSize, 6);
    canvas.text(second.text, {kMargin, y}, {.size = second.size, .color = kNoteColor});
    return y + kNoteSize;
}

// --- A curve.

void draw_axes(FigureCanvas& canvas, const CurveAxes& axes, const Box& box) {
    const double under = box.bottom() + kTick + 3 + kTickSize * kCapital;
    for (const Tick& tick : axes.x.ticks(12).marks) {
        const double x = box.left + tick.position * box.width;
        canvas.path(std::array{Point{x, box.top}, Point{x, box.bottom()}}, {kHair, kGridColor});
        canvas.line({x, box.bottom()}, {x, box.bottom() + kTick}, kHair);
        canvas.text(tick.label, {x, under}, {.size = kTickSize, .anchor = Anchor::middle});
    }
    for (const Tick& tick : axes.y.ticks(14).marks) {
        const double y = box.bottom() - tick.position * box.height;
        canvas.path(std::array{Point{box.left, y}, Point{box.right(), y}}, {kHair, kGridColor});
        canvas.line({box.left, y}, {box.left - kTick, y}, kHair);
        canvas.text(tick.label,
                    {box.left - kTick - 3, y + kTickSize * kCapital / 2},
                    {.size = kTickSize, .anchor = Anchor::end});
    }
    canvas.frame(box, kHair);
}

// "label (×10³)" where the ticks count in something.
std::string axis_label(const std::string& label, const Ticks& ticks) {
    return clean_text(ticks.note.empty() ? label : fmt::format("{} ({})", label, ticks.note));
}

void draw_axis_labels(FigureCanvas& canvas, const ReportCurve& curve, const CurveAxes& axes, const Box& box) {
    canvas.text(axis_label(curve.x_label, axes.x.ticks(12)),
                {box.middle_x(), box.bottom() + kTick + 9 + (kTickSize + kLabelSize) * kCapital},
                {.size = kLabelSize, .anchor = Anchor::middle});
    canvas.text(axis_label(curve.y_label, axes.y.ticks(14)),
                {kMargin + kLabelSize * kCapital, box.middle_y()},
                {.size = kLabelSize, .anchor = Anchor::middle, .upwards = true});
}

Point place(const CurveAxes& axes, const Box& box, const ReportPoint& point) {
    return {box.left + axes.x.place(point.x) * box.width, box.bottom() - axes.y.place(point.y) * box.height};
}

// A label stands to the right of its point, or to the left where it would leave the box.
void draw_label(FigureCanvas& canvas, const std::string& label, Point at, const Box& box) {
    const double width = text_width(label, kNoteSize);
    const bool left = at.x + kMarker + 3 + width > box.right();
    canvas.text(label,
                {left ? at.x - kMarker - 3 : at.x + kMarker + 3, at.y - 3},
                {.size = kNoteSize, .anchor = left ? Anchor::end : Anchor::start, .color = kInk});
}

void draw_series(
    FigureCanvas& canvas, const ReportSeries& series, const CurveAxes& axes, const Box& box, Rgb color) {
    std::vector<Point> points;
    for (const ReportPoint& point : series.points)
        if (axes.holds(point)) points.push_back(place(axes, box, point));
    if (series.line && points.size() > 1) canvas.path(points, {kLine, color, series.dashed ? kDash : 0});
    for (const ReportPoint& point : series.points) {
        if (!axes.holds(point)) continue;
        const Point at = place(axes, box, point);
        if (point.marked) {
            fill_disc(canvas, at, 2.2 * kMarker, kInk);
            fill_disc(canvas, at, 1.6 * kMarker, {255, 255, 255});
        }
        if (series.markers || point.marked) fill_disc(canvas, at, kMarker, color);
        if (!point.label.empty()) draw_label(canvas, clean_text(point.label), at, box);
    }
}

// One line below the titles names the series; a single one needs no name.
double draw_legend(FigureCanvas& canvas, const ReportCurve& curve, double top) {
    if (curve.series.size() < 2) return top;
    double x = kMargin;
    double y = top + kNoteSize;
    for (std::size_t i = 0; i < curve.series.size(); ++i) {
        const std::string name = clean_text(curve.series[i].name);
        const double width = 24 + text_width(name, kNoteSize) + 14;
        if (x > kMargin && x + width > kWidth - kMargin) {
            x = kMargin;
            y += kNoteSize * 1.5;
        }
        const double middle = y - kNoteSize * kCapital / 2;
        canvas.path(std::array{Point{x, middle}, Point{x + 18, middle}},
                    {kLine, series_color(i), curve.series[i].dashed ? kDash : 0});
        canvas.text(name, {x + 24, y}, {.size = kNoteSize});
        x += width;
    }
    return y + 4;
}

// --- Times.

struct Bar {
    const ReportRow* row;
    bool first;  ///< of its group
};

std::vector<Bar> bars_of(const Report& report) {
    std::vector<Bar> bars;
    for (const ReportRow& row : report.rows) {
        if (!row.measured() || !(row.seconds > 0)) continue;
        bars.push_back({&row, bars.empty() || !same_group(*bars.back().row, row)});
    }
    return bars;
}

// As a curve without points of its own, for the axis alone.
CurveAxis time_axis(const std::vector<Bar>& bars) {
    ReportCurve curve;
    curve.log_x = true;
    curve.series.emplace_back();
    for (const Bar& bar : bars) curve.series.back().points.push_back({bar.row->seconds * 1e3, 1, "", false});
    CurveAxis axis = axes_of(curve).x;
    axis.range.low /= 2;   // the shortest bar is still one
    axis.range.high *= 3;  // room for what stands behind the longest
    return axis;
}

constexpr double kPitch = 17, kBar = 11, kGroup = 22;

double bars_height(const std::vector<Bar>& bars) {
    double height = 0;
    for (const Bar& bar : bars) height += kPitch + (bar.first ? kGroup : 0);
    return height;
}

std::string bar_text(const ReportRow& row) {
    const std::string error = std::isfinite(row.error) ? fmt::format(", error {:.1e}", row.error) : "";
    return format_time(row.seconds) + error + (row.inexact ? ", inexact" : "");
}

void draw_bar(FigureCanvas& canvas, const Bar& bar, const CurveAxis& axis, const Box& box, double& y) {
    const ReportRow& row = *bar.row;
    if (bar.first) {
        y += kGroup;
        canvas.text(clean_text(fmt::format("{}, {}", row.work, name_of(row.dtype))),
                    {kMargin, y - 5},
                    {.size = kLabelSize, .color = kNoteColor});
    }
    const double end = box.left + axis.place(row.seconds * 1e3) * box.width;
    const double top = y + (kPitch - kBar) / 2;
    canvas.fill(
        std::array{
            Point{box.left, top}, Point{end, top}, Point{end, top + kBar}, Point{box.left, top + kBar}},
        row.backend == Device::cpu ? kCpuColor : kGpuColor);
    const double base = top + kBar / 2 + kNoteSize * kCapital / 2;
    const FittedText name = fit_text(clean_text(row.name), box.left - kMargin - 6, kNoteSize, 6.5);
    canvas.text(name.text, {box.left - 6, base}, {.size = name.size, .anchor = Anchor::end});
    canvas.text(bar_text(row), {end + 4, base}, {.size = kNoteSize});
    y += kPitch;
}

void draw_keys(FigureCanvas& canvas, const Report& report, double y) {
    double x = kMargin;
    for (const bool cpu : {true, false}) {
        if (!cpu && !report.has_gpu) continue;
        const std::string name = cpu ? "CPU" : "GPU, data in place";
        canvas.fill(std::array{Point{x, y - 7}, Point{x + 10, y - 7}, Point{x + 10, y}, Point{x, y}},
                    cpu ? kCpuColor : kGpuColor);
        canvas.text(name, {x + 14, y}, {.size = kNoteSize});
        x += 14 + text_width(name, kNoteSize) + 16;
    }
}

}  // namespace

std::string draw_curve(const Report& report, const ReportCurve& curve, figure::FigureFormat format) {
    constexpr double kHeight = 400, kLeft = 66, kBelow = 46;
    const auto canvas = make_canvas(format, kWidth, kHeight, clean_text(curve.title));
    const double top = draw_legend(*canvas, curve, draw_titles(*canvas, report, curve.title)) + 8;
    const Box box{kLeft, top, kWidth - kLeft - 2 * kMargin, kHeight - top - kBelow};
    const CurveAxes axes = axes_of(curve);
    draw_axes(*canvas, axes, box);
    draw_axis_labels(*canvas, curve, axes, box);
    for (std::size_t i = 0; i < curve.series.size(); ++i)
        draw_series(*canvas, curve.series[i], axes, box, series_color(i));
    return canvas->finish();
}

std::string draw_times(const Report& report, figure::FigureFormat format) {
    constexpr double kBelow = 42, kLeft = 190;
    const std::vector<Bar> bars = bars_of(report);
    const std::string title = fmt::format("{}: times", report.example);
    const double height = 62 + bars_height(bars) + kBelow;
    const auto canvas = make_canvas(format, kWidth, height, title);
    const double keys = draw_titles(*canvas, report, title) + kNoteSize;
    draw_keys(*canvas, report, keys);
    const Box box{kLeft, keys + 6, kWidth - kLeft - kMargin, bars_height(bars)};
    const CurveAxis axis = time_axis(bars);
    const double under = box.bottom() + kTick + 3 + kTickSize * kCapital;
    for (const Tick& tick : axis.ticks(8).marks) {
        const double x = box.left + tick.position * box.width;
        canvas->path(std::array{Point{x, box.top}, Point{x, box.bottom()}}, {kHair, kGridColor});
        canvas->text(tick.label, {x, under}, {.size = kTickSize, .anchor = Anchor::middle});
    }
    double y = box.top;
    for (const Bar& bar : bars) draw_bar(*canvas, bar, axis, box, y);
    canvas->text("milliseconds, logarithmic",
                 {box.middle_x(), under + 4 + kLabelSize},
                 {.size = kLabelSize, .anchor = Anchor::middle});
    return canvas->finish();
}

}  // namespace stencil
