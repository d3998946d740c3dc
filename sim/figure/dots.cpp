#include "sim/figure/chart.h"

#include <algorithm>
#include <cmath>

#include "sim/figure/text.h"

namespace stencil::figure {
namespace {

// Lengths in font sizes.
constexpr double kPitch = 1.9;    // row spacing
constexpr double kGroup = 2.4;    // additional space before a group
constexpr double kDotLine = 1.5;  // line of keys, limits or the axis
constexpr double kDotGap = 0.6;

constexpr double kMostNames = 0.4;  // largest share of the width for names

bool begins_group(const DotChart& chart, std::size_t i) {
    return !chart.rows[i].group.empty() && (i == 0 || chart.rows[i].group != chart.rows[i - 1].group);
}

double head_height(const DotChart& chart, const ChartStyle& style) {
    return style.text * kDotLine * (double(chart.limits.size()) + (chart.keys.empty() ? 0 : 1));
}

double rows_height(const DotChart& chart, const ChartStyle& style) {
    double height = 0.5 * style.text;
    for (std::size_t i = 0; i < chart.rows.size(); ++i)
        height += style.text * (kPitch + (begins_group(chart, i) ? kGroup : 0));
    return height;
}

Axis axis_of(const DotChart& chart) {
    std::vector<double> values;
    for (const DotRow& row : chart.rows) values.push_back(row.value);
    for (const ChartLimit& limit : chart.limits) values.push_back(limit.value);
    // The axis spans at least a factor of 2, so that small differences look small.
    const auto [low, high] = std::ranges::minmax_element(values);
    if (low != values.end() && *low > 0 && *high < 2 * *low) {
        const double middle = std::sqrt(*low * *high), half = std::sqrt(2.0);
        values.insert(values.end(), {middle / half, middle * half});
    }
    return axis_over(values, true, 0.06);
}

struct DotDrawing {
    Surface& surface;
    const DotChart& chart;
    const Box& area;
    const ChartStyle& style;
    Axis axis;
    Box box;

    double text(double sizes) const { return sizes * style.text; }
    double x_of(double value) const { return box.left + axis.place(value) * box.width; }
    double width(std::string_view label) const { return surface.text_width(label, style.text); }
    FittedText fitted(const std::string& label, double room) const {
        return fit_text(clean_text(label), room, style.text, 0.75 * style.text, [this](auto t, double size) {
            return surface.text_width(t, size);
        });
    }
    void write(const std::string& label, Point at, Rgb color, Anchor anchor, double room) const {
        const FittedText text = fitted(label, room);
        surface.text(text.text, at, {text.size, anchor, color});
    }
};

void draw_keys(const DotDrawing& d) {
    double x = d.area.left;
    for (const auto& [name, color] : d.chart.keys) {
        fill_disc(
            d.surface, {x + d.style.marker, d.area.top + d.text(0.5)}, d.style.marker, d.style.shade(color));
        x += 2 * d.style.marker + d.text(kDotGap);
        d.surface.text(
            name, {x, d.area.top + d.text(0.5 + kCapital / 2)}, {d.style.text, Anchor::start, d.style.ink});
        x += d.width(name) + d.text(1.5);
    }
}

void draw_axis(const DotDrawing& d) {
    const Stroke grid{d.style.hair, d.style.grid};
    if (d.style.ground) fill_box(d.surface, d.box, *d.style.ground);
    const auto measure = [&](std::string_view label) { return d.width(label); };
    const Ticks ticks =
        fitting_ticks([&](int most) { return d.axis.ticks(most); }, d.box.width, d.text(0.8), measure);
    const double under = d.box.bottom() + d.text(0.4 + kCapital);
    for (const Tick& tick : ticks.marks) {
        const double x = d.box.left + tick.position * d.box.width;
        draw_line(d.surface, {x, d.box.top}, {x, d.box.bottom()}, grid);
        if (x + d.width(tick.label) / 2 <= d.area.right())
            d.surface.text(tick.label, {x, under}, {d.style.text, Anchor::middle, d.style.faint});
    }
    const double half = d.width(d.chart.x_label) / 2;
    const double middle = std::max(d.area.left + half, std::min(d.box.middle_x(), d.area.right() - half));
    d.write(axis_title(d.chart.x_label, ticks),
            {middle, under + d.text(kDotLine)},
            d.style.faint,
            Anchor::middle,
            d.area.width);
}

void draw_limits(const DotDrawing& d) {
    double base = d.box.top - d.text(kDotGap);
    for (const ChartLimit& limit : d.chart.limits) {
        const double x = d.x_of(limit.value);
        draw_line(d.surface,
                  {x, base + d.text(kDescent)},
                  {x, d.box.bottom()},
                  {d.style.hair, d.style.ink, d.style.dash});
        const std::string label = limit.name + ": " + number_text(limit.value, 4);
        const double half = d.width(label) / 2;
        const double middle = std::max(d.area.left + half, std::min(x, d.area.right() - half));
        d.write(label, {middle, base}, d.style.ink, Anchor::middle, d.area.width);
        base -= d.text(kDotLine);
    }
}

bool crosses_a_limit(const DotDrawing& d, double left, double right) {
    return std::ranges::any_of(d.chart.limits, [&](const ChartLimit& limit) {
        const double x = d.x_of(limit.value);
        return x > left && x < right;
    });
}

// Whether the text goes to the right of the dot: not if it lacks room there, or would cross a limit's line
// only there.
bool stands_right(const DotDrawing& d, double dot, double away, double width) {
    const bool fits_right = dot + away + width <= d.area.right();
    const bool fits_left = dot - away - width >= d.box.left;
    if (!fits_left) return fits_right || d.area.right() - dot >= dot - d.box.left;
    return fits_right && (!crosses_a_limit(d, dot + away, dot + away + width) ||
                          crosses_a_limit(d, dot - away - width, dot - away));
}

Point draw_row(const DotDrawing& d, const DotRow& row, double middle) {
    const Point dot{d.x_of(row.value), middle};
    const double base = middle + d.text(kCapital / 2);
    const double away = d.style.marker + d.text(kDotGap);
    const bool right = stands_right(d, dot.x, away, d.width(row.text));
    const double start = right ? dot.x + away : dot.x - away;
    const double room = right ? d.area.right() - start : start - d.box.left;
    const double guide = right ? dot.x : start - std::min(room, d.width(row.text)) - d.text(kDotGap / 2);
    if (guide > d.box.left)
        draw_line(d.surface, {d.box.left, middle}, {guide, middle}, {d.style.hair, d.style.grid});
    fill_disc(d.surface, dot, 1.2 * d.style.marker, d.style.shade(row.color));
    const double names = d.box.left - d.text(kDotGap);
    d.write(row.name, {names, base}, d.style.ink, Anchor::end, names - d.area.left);
    d.write(row.text, {start, base}, d.style.ink, right ? Anchor::start : Anchor::end, room);
    return dot;
}

}  // namespace

double height_of(const DotChart& chart, const ChartStyle& style) {
    return head_height(chart, style) + rows_height(chart, style) + style.text * (2 * kDotLine + 0.6);
}

std::vector<Point> draw_dots(Surface& surface,
                             const DotChart& chart,
                             const Box& area,
                             const ChartStyle& style) {
    DotDrawing d{surface, chart, area, style, axis_of(chart), {}};
    double names = 0;
    for (const DotRow& row : chart.rows) names = std::max(names, d.width(row.name));
    names = std::min(names, kMostNames * area.width) + d.text(kDotGap);
    d.box = {area.left + names,
             area.top + head_height(chart, style),
             area.width - names - style.marker,
             rows_height(chart, style)};
    if (chart.rows.empty() || d.box.width < d.text(6)) return {};
    draw_keys(d);
    draw_axis(d);
    draw_limits(d);
    std::vector<Point> dots;
    double y = d.box.top + d.text(0.25);
    for (std::size_t i = 0; i < chart.rows.size(); ++i) {
        if (begins_group(chart, i)) {
            y += d.text(kGroup);
            d.write(
                chart.rows[i].group, {area.left, y - d.text(0.7)}, style.faint, Anchor::start, area.width);
        }
        dots.push_back(draw_row(d, chart.rows[i], y + d.text(kPitch / 2)));
        y += d.text(kPitch);
    }
    return dots;
}

}  // namespace stencil::figure
