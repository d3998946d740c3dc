#include "sim/bench/ladder_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/bench/speed_chart.h"
#include "sim/figure/canvas.h"
#include "sim/figure/text.h"
#include "sim/figure/ticks.h"

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
constexpr double kDash = 4;
constexpr double kMarker = 3;
constexpr double kLabelGap = 8;
constexpr Rgb kGridColor = {228, 228, 228};
constexpr Rgb kNoteColor = {96, 96, 96};
constexpr Rgb kLimitColor = {60, 60, 60};

// A title in one line and what was measured below it; returns where they end.
double draw_titles(FigureCanvas& canvas, const LadderReport& report) {
    const RunSpec& run = report.spec.run;
    const FittedText title = fit_text(
        clean_text(fmt::format("Methods on {}", report.device)), kWidth - 2 * kMargin, kTitleSize, 8);
    double y = kMargin + kTitleSize * kCapital;
    canvas.text(title.text, {kMargin, y}, {.size = title.size});
    y += kNoteSize * 1.6;
    canvas.text(fmt::format("{}, {} boundary, coefficient {}; copies {:.4g} GB/s; stencilscope {}",
                            name_of(run.dtype),
                            name_of(run.boundary),
                            run.coefficient,
                            report.limits.copy_gb_per_s,
                            STENCILSCOPE_VERSION),
                {kMargin, y},
                {.size = kNoteSize, .color = kNoteColor});
    return y + kNoteSize;
}

// --- Curves over sizes.

Point place(const SpeedChart& chart, const Box& box, const MethodSpeed& point) {
    return {box.left + chart.across(point.edge) * box.width,
            box.bottom() - chart.up(point.gcells_per_s) * box.height};
}

void draw_axes(FigureCanvas& canvas, const SpeedChart& chart, const Box& box) {
    const double under = box.bottom() + kTick + 3 + kTickSize * kCapital;
    for (const Tick& tick : log_ticks(chart.edges, 14).marks) {
        const double x = box.left + tick.position * box.width;
        canvas.path(std::array{Point{x, box.top}, Point{x, box.bottom()}}, {kHair, kGridColor});
        canvas.line({x, box.bottom()}, {x, box.bottom() + kTick}, kHair);
        canvas.text(tick.label, {x, under}, {.size = kTickSize, .anchor = Anchor::middle});
    }
    for (const Tick& tick : log_ticks(chart.speeds, 14).marks) {
        const double y = box.bottom() - tick.position * box.height;
        canvas.path(std::array{Point{box.left, y}, Point{box.right(), y}}, {kHair, kGridColor});
        canvas.line({box.left, y}, {box.left - kTick, y}, kHair);
        canvas.text(tick.label,
                    {box.left - kTick - 3, y + kTickSize * kCapital / 2},
                    {.size = kTickSize, .anchor = Anchor::end});
    }
    canvas.frame(box, kHair);
    canvas.text("edge of the field in cells (square root of their number)",
                {box.middle_x(), under + 6 + kLabelSize},
                {.size = kLabelSize, .anchor = Anchor::middle});
    canvas.text("GCells/s",
                {kMargin + kLabelSize * kCapital, box.middle_y()},
                {.size = kLabelSize, .anchor = Anchor::middle, .upwards = true});
}

// Without an exponent, however large.
std::string limit_text(const SpeedLimit& limit) {
    const double speed = limit.gcells_per_s;
    return speed < 1000 ? fmt::format("{}: {:.4g}", limit.name, speed)
                        : fmt::format("{}: {:.0f}", limit.name, speed);
}

void draw_limits(FigureCanvas& canvas, const SpeedChart& chart, const Box& box) {
    for (const SpeedLimit& limit : chart.limits) {
        const double y = box.bottom() - chart.up(limit.gcells_per_s) * box.height;
        canvas.path(std::array{Point{box.left, y}, Point{box.right(), y}}, {0.9, kLimitColor, kDash});
        canvas.text(limit_text(limit), {box.left + 5, y - 3}, {.size = kNoteSize, .color = kLimitColor});
    }
}

// The curves' names stand beside their ends, moved apart where they would meet.
void draw_names(FigureCanvas& canvas, const SpeedChart& chart, const Box& box) {
    struct Name {
        const SpeedCurve* curve;
        Point end;
        double y;
    };
    std::vector<Name> names;
    for (const SpeedCurve& curve : chart.curves) {
        const Point end = place(chart, box, curve.points.back());
        names.push_back({&curve, end, end.y});
    }
    std::ranges::sort(names, {}, &Name::y);
    constexpr double kMin = 1.25 * kLabelSize;
    for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + kMin);
    // Pushed below the axes, they move up again from the last one on.
    double floor = box.bottom();
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        name->y = std::min(name->y, floor);
        floor = name->y - kMin;
    }
    for (const Name& name : names) {
        const double x = box.right() + kLabelGap;
        canvas.path(std::array{Point{name.end.x + kMarker, name.end.y}, Point{x - 3, name.y}},
                    {kHair, name.curve->color});
        canvas.text(name.curve->name,
                    {x, name.y + kLabelSize * kCapital / 2},
                    {.size = kLabelSize, .color = name.curve->color});
    }
}

void draw_curves(FigureCanvas& canvas, const SpeedChart& chart, const Box& box) {
    for (const SpeedCurve& curve : chart.curves) {
        std::vector<Point> points;
        for (const MethodSpeed& point : curve.points) points.push_back(place(chart, box, point));
        canvas.path(points, {kLine, curve.color});
        for (const Point& point : points) fill_disc(canvas, point, kMarker, curve.color);
    }
    draw_names(canvas, chart, box);
}

double widest_name(const SpeedChart& chart) {
    double widest = 0;
    for (const SpeedCurve& curve : chart.curves)
        widest = std::max(widest, text_width(curve.name, kLabelSize));
    return widest;
}

std::string draw_over_sizes(const LadderReport& report,
                            const SpeedChart& chart,
                            figure::FigureFormat format) {
    constexpr double kHeight = 400;
    constexpr double kLeft = 62, kBelow = 46;
    const auto canvas = make_canvas(format, kWidth, kHeight, "Methods on " + clean_text(report.device));
    const double top = draw_titles(*canvas, report) + 8;
    const double right = kMargin + kLabelGap + widest_name(chart);
    const Box box{kLeft, top, kWidth - kLeft - right, kHeight - top - kBelow};
    draw_axes(*canvas, chart, box);
    draw_limits(*canvas, chart, box);
    draw_curves(*canvas, chart, box);
    return canvas->finish();
}

// --- Bars at one size.

void draw_bar(FigureCanvas& canvas, const SpeedCurve& curve, const Box& bar, double left) {
    canvas.fill(std::array{Point{bar.left, bar.top},
                           Point{bar.right(), bar.top},
                           Point{bar.right(), bar.bottom()},
                           Point{bar.left, bar.bottom()}},
                curve.color);
    const double base = bar.middle_y() + kLabelSize * kCapital / 2;
    canvas.text(curve.name, {left, base}, {.size = kLabelSize, .anchor = Anchor::end});
    canvas.text(fmt::format("{:.4g}", curve.points.front().gcells_per_s),
                {bar.right() + 5, base},
                {.size = kLabelSize});
}

std::string draw_bars(const LadderReport& report, const SpeedChart& chart, figure::FigureFormat format) {
    constexpr double kBar = 18, kPitch = 28, kBelow = 46, kLimitRoom = 34;
    const double rows = double(chart.curves.size());
    const double left = kMargin + widest_name(chart) + kLabelGap;
    const auto size = report.spec.sizes.front();
    const double height = 58 + kLimitRoom + rows * kPitch + kBelow;
    const auto canvas = make_canvas(format, kWidth, height, "Methods on " + clean_text(report.device));
    const double top = draw_titles(*canvas, report) + kLimitRoom;
    const Box box{left, top, kWidth - left - kMargin, rows * kPitch};
    const auto x_of = [&](double speed) { return box.left + chart.up(speed) * box.width; };
    const double under = box.bottom() + kTick + 3 + kTickSize * kCapital;
    for (const Tick& tick : log_ticks(chart.speeds, 14).marks) {
        const double x = box.left + tick.position * box.width;
        canvas->path(std::array{Point{x, box.top}, Point{x, box.bottom()}}, {kHair, kGridColor});
        canvas->text(tick.label, {x, under}, {.size = kTickSize, .anchor = Anchor::middle});
    }
    double y = box.top + (kPitch - kBar) / 2;
    for (const SpeedCurve& curve : chart.curves) {
        const double end = x_of(curve.points.front().gcells_per_s);
        draw_bar(*canvas, curve, {box.left, y, end - box.left, kBar}, box.left - kLabelGap);
        y += kPitch;
    }
    double label = box.top - 5;
    for (const SpeedLimit& limit : chart.limits) {
        const double x = x_of(limit.gcells_per_s);
        canvas->path(std::array{Point{x, label + 2}, Point{x, box.bottom()}}, {0.9, kLimitColor, kDash});
        canvas->text(limit_text(limit),
                     {x, label},
                     {.size = kNoteSize,
                      .anchor = x > box.middle_x() ? Anchor::end : Anchor::start,
                      .color = kLimitColor});
        label -= 1.5 * kNoteSize;
    }
    canvas->line({box.left, box.top}, {box.left, box.bottom()}, kHair);
    canvas->text(fmt::format("GCells/s on {}x{} cells, logarithmic", size.nx, size.ny),
                 {box.middle_x(), under + 6 + kLabelSize},
                 {.size = kLabelSize, .anchor = Anchor::middle});
    return canvas->finish();
}

}  // namespace

std::string draw_ladder(const LadderReport& report, figure::FigureFormat format) {
    const SpeedChart chart = make_speed_chart(speeds_of(report.rows), report.limits, report.spec.run.dtype);
    return report.spec.sizes.size() == 1 ? draw_bars(report, chart, format)
                                         : draw_over_sizes(report, chart, format);
}

}  // namespace stencil
