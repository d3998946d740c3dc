// Implements draw_chart(); the functions are in the order of layout and drawing.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/figure/chart.h"
#include "sim/figure/labels.h"
#include "sim/figure/text.h"

namespace stencil::figure {
namespace {

// Lengths in font sizes.
constexpr double kGap = 0.4;
constexpr double kBelow = 0.55;                      // from the axes to the labels below
constexpr double kLine = 1.35;                       // line spacing
constexpr double kSample = 1.9;                      // line sample in the legend
constexpr double kApart = 1.3;                       // between names in the legend
constexpr double kLeastWidth = 4, kLeastHeight = 3;  // least size of the plot
constexpr double kMostForNames = 0.3;                // of the width, for names at the curves' ends

struct Drawing {
    Surface& surface;
    const Chart& chart;
    const Box& area;
    const ChartStyle& style;
    ChartMap map = {};
    Ticks x_ticks = {}, y_ticks = {};

    double text(double sizes) const { return sizes * style.text; }
    double width(std::string_view label) const { return surface.text_width(label, style.text); }
    LabelWidth measure() const {
        return [this](std::string_view label) { return width(label); };
    }
    void write(std::string_view label, Point at, Rgb color, Anchor anchor = Anchor::start) const {
        surface.text(label, at, {style.text, anchor, color});
    }
    Rgb color(std::size_t series) const {
        return style.shade(chart.series[series].color.value_or(series_color(series)));
    }
    std::optional<Point> place(const ChartPoint& point) const {
        if (!map.axes.holds(point)) return std::nullopt;
        return map.at(point.x, point.y);
    }
};

// --- Layout

struct LegendEntry {
    std::size_t series;
    double x, y;  // from the area's corner to the left end of the sample, vertically centred
};

std::vector<LegendEntry> legend_of(const Drawing& d) {
    std::vector<LegendEntry> entries;
    double x = 0, y = d.text(kLine / 2);
    for (std::size_t i = 0; i < d.chart.series.size(); ++i) {
        if (d.chart.series[i].name.empty()) continue;
        const double own = d.text(kSample + kGap) + d.width(d.chart.series[i].name);
        if (x > 0 && x + own > d.area.width) {
            x = 0;
            y += d.text(kLine);
        }
        entries.push_back({i, x, y});
        x += own + d.text(kApart);
    }
    return entries;
}

double widest_name(const Drawing& d) {
    double widest = 0;
    for (const ChartSeries& series : d.chart.series) widest = std::max(widest, d.width(series.name));
    return widest;
}

bool names_fit_at_ends(const Drawing& d) {
    const double height = d.area.height - d.text(4 * kLine);
    return d.chart.names_at_ends && widest_name(d) <= kMostForNames * d.area.width &&
           double(d.chart.series.size()) * d.text(kLine) <= height;
}

// Returns false if the area is too small for axes.
bool lay_out(Drawing& d, double above, double right) {
    d.map.axes = axes_of(d.chart);
    Box& box = d.map.box;
    const double below = d.text(kBelow + (d.chart.x_label.empty() ? 1 : 2) * kLine);
    box.top = d.area.top + above + d.text(kCapital + kDescent + kGap);
    box.height = d.area.bottom() - below - box.top;
    if (box.height < d.text(kLeastHeight)) return false;
    const int most = std::max(2, int(box.height / d.text(1.6)));
    d.y_ticks = thinned(d.map.axes.y.ticks(most), most);
    const double left = std::max(widest_label(d.y_ticks, d.measure()), d.text(d.chart.y_room)) + d.text(kGap);
    box.left = d.area.left + left;
    const auto across = [&](int count) {
        return d.chart.x_ticks.empty() ? d.map.axes.x.ticks(count)
                                       : ticks_at(d.chart.x_ticks, d.map.axes.x.range);
    };
    // Half of a label may extend beyond the axis' end.
    for (int pass = 0; pass < 2; ++pass) {
        box.width = d.area.right() - right - box.left;
        if (box.width < d.text(kLeastWidth)) return false;
        d.x_ticks = fitting_ticks(across, box.width, d.text(0.8), d.measure());
        if (!d.x_ticks.marks.empty()) {
            const Tick& last = d.x_ticks.marks.back();
            right = std::max(right, d.width(last.label) / 2 - (1 - last.position) * box.width);
        }
    }
    return true;
}

// --- Axes and names

void draw_legend(const Drawing& d, const std::vector<LegendEntry>& entries) {
    for (const LegendEntry& entry : entries) {
        const ChartSeries& series = d.chart.series[entry.series];
        const Rgb color = d.color(entry.series);
        const Point left{d.area.left + entry.x, d.area.top + entry.y};
        const Point right{left.x + d.text(kSample), left.y};
        if (series.bars) fill_box(d.surface, {left.x, left.y - d.text(0.3), d.text(1), d.text(0.6)}, color);
        if (!series.bars && series.line)
            draw_line(d.surface, left, right, {d.style.line, color, series.dashed ? d.style.dash : 0});
        if (!series.bars && series.markers)
            fill_disc(d.surface, {(left.x + right.x) / 2, left.y}, d.style.marker, color);
        d.write(series.name, {right.x + d.text(kGap), left.y + d.text(kCapital / 2)}, d.style.ink);
    }
}

// Draws a title that starts or is centred at x; it is moved and shrunk to stay in the area.
void draw_axis_title(const Drawing& d, const std::string& title, double x, double baseline, bool centred) {
    const FittedText fitted =
        fit_text(title, d.area.width, d.style.text, 0.7 * d.style.text, [&](auto text, double size) {
            return d.surface.text_width(text, size);
        });
    const double width = d.surface.text_width(fitted.text, fitted.size);
    const double wanted = centred ? x - width / 2 : x;
    const double left = std::max(d.area.left, std::min(wanted, d.area.right() - width));
    d.surface.text(fitted.text, {left, baseline}, {fitted.size, Anchor::start, d.style.faint});
}

void draw_axes(const Drawing& d) {
    const Box& box = d.map.box;
    const Stroke grid{d.style.hair, d.style.grid};
    if (d.style.ground) fill_box(d.surface, box, *d.style.ground);
    const double under = box.bottom() + d.text(kBelow + kCapital);
    for (const Tick& tick : d.x_ticks.marks) {
        const double x = box.left + tick.position * box.width;
        draw_line(d.surface, {x, box.top}, {x, box.bottom()}, grid);
        const double half = d.width(tick.label) / 2;
        if (x - half >= d.area.left && x + half <= d.area.right())
            d.write(tick.label, {x, under}, d.style.faint, Anchor::middle);
    }
    for (const Tick& tick : d.y_ticks.marks) {
        const double y = box.bottom() - tick.position * box.height;
        draw_line(d.surface, {box.left, y}, {box.right(), y}, grid);
        d.write(tick.label, {box.left - d.text(kGap), y + d.text(kCapital / 2)}, d.style.faint, Anchor::end);
    }
    draw_frame(d.surface, box, {d.style.hair, d.style.ground ? d.style.grid : d.style.faint});
    draw_axis_title(d, axis_title(d.chart.x_label, d.x_ticks), box.middle_x(), under + d.text(kLine), true);
    draw_axis_title(
        d, axis_title(d.chart.y_label, d.y_ticks), box.left, box.top - d.text(kGap + kDescent), false);
}

// Draws names beside the curves' last points, moved apart to avoid overlaps, with thin lines to the points.
void draw_names_at_ends(const Drawing& d) {
    struct Name {
        std::size_t series;
        Point end;
        double y;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < d.chart.series.size(); ++i) {
        const auto& points = d.chart.series[i].points;
        if (points.empty()) continue;
        if (const auto end = d.place(points.back())) names.push_back({i, *end, end->y});
    }
    std::ranges::sort(names, {}, &Name::y);
    const double least = d.text(1.25);
    for (std::size_t i = 1; i < names.size(); ++i) names[i].y = std::max(names[i].y, names[i - 1].y + least);
    // Names pushed below the axes move up again, beginning with the last.
    double floor = d.map.box.bottom() - d.text(kDescent);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        name->y = std::min(name->y, floor);
        floor = name->y - least;
    }
    const double x = d.map.box.right() + d.text(2 * kGap);
    for (const Name& name : names) {
        const Rgb color = d.color(name.series);
        const Point beside{name.end.x + d.style.marker, name.end.y};
        draw_line(d.surface, beside, {x - d.text(kGap / 2), name.y}, {d.style.hair, color});
        d.write(d.chart.series[name.series].name, {x, name.y + d.text(kCapital / 2)}, d.style.ink);
    }
}

// Shades boxes by the logarithm of the count; equal neighbours in a row are drawn as one.
void draw_density(const Drawing& d) {
    if (!d.chart.density || d.chart.density->counts.empty()) return;
    const Density& density = *d.chart.density;
    const double most = std::log1p(double(std::ranges::max(density.counts)));
    const Rgb paper = d.style.ground.value_or(Rgb{255, 255, 255}), ink = d.style.shade(series_color(0));
    constexpr int kShades = 16, kFaintest = 5;
    const auto shade = [&](int x, int y) {
        const auto count = density.counts[std::size_t(y) * std::size_t(density.bins) + std::size_t(x)];
        return count == 0 ? 0 : kFaintest + int((kShades - kFaintest) * std::log1p(double(count)) / most);
    };
    const auto edge = [&](const ValueRange& axis, int box) {
        return axis.low + box * (axis.high - axis.low) / density.bins;
    };
    for (int y = 0; y < density.bins; ++y)
        for (int x = 0, end = 0; x < density.bins; x = end) {
            const int own = shade(x, y);
            for (end = x + 1; end < density.bins && shade(end, y) == own;) ++end;
            if (own == 0) continue;
            const Point low = d.map.at(edge(density.x, x), edge(density.y, y));
            const Point high = d.map.at(edge(density.x, end), edge(density.y, y + 1));
            fill_box(d.surface,
                     {low.x, high.y, high.x - low.x, low.y - high.y},
                     blend(paper, ink, double(own) / kShades));
        }
}

// --- Curves

// Returns the line's positions, split at gaps; where points are too dense, only their extremes.
std::vector<std::vector<Point>> lines_of(const Drawing& d, const ChartSeries& series) {
    std::vector<std::vector<Point>> lines(1);
    const std::size_t most = 2 * std::size_t(std::max(1.0, d.map.box.width));
    const std::size_t stride = std::max<std::size_t>(1, series.points.size() / most);
    for (std::size_t i = 0; i < series.points.size(); i += stride) {
        std::optional<Point> low, high;
        for (std::size_t k = i; k < std::min(i + stride, series.points.size()); ++k) {
            const auto at = d.place(series.points[k]);
            if (at && (!low || at->y < low->y)) low = at;
            if (at && (!high || at->y > high->y)) high = at;
        }
        if (!low) {
            if (!lines.back().empty()) lines.emplace_back();
            continue;
        }
        lines.back().push_back(*low);
        if (high->y > low->y) lines.back().push_back({low->x, high->y});
    }
    return lines;
}

void draw_bars(const Drawing& d, const ChartSeries& series, Rgb color) {
    if (series.points.empty()) return;
    const double width = d.map.box.width / double(series.points.size());
    const double between = width > 6 * d.style.hair ? d.style.hair : 0;
    for (const ChartPoint& point : series.points) {
        const auto at = d.place(point);
        if (!at || !(point.y > 0)) continue;
        // Even the lowest bar is visible.
        const double top = std::min(at->y, d.map.box.bottom() - d.style.hair);
        fill_box(d.surface, {at->x - width / 2, top, width - between, d.map.box.bottom() - top}, color);
    }
}

// Omits markers so dense that they would only thicken the line, except labelled ones.
bool has_marker(const Drawing& d, const ChartSeries& series, const ChartPoint& point) {
    if (!series.markers || series.bars) return false;
    const bool crowded = series.line && double(series.points.size()) * 3 * d.style.marker > d.map.box.width;
    return !crowded || !point.label.empty();
}

void draw_series(const Drawing& d, std::size_t index) {
    const ChartSeries& series = d.chart.series[index];
    const Rgb color = d.color(index);
    if (series.bars) return draw_bars(d, series, color);
    if (series.line)
        for (const auto& line : lines_of(d, series)) {
            if (line.size() > 1)
                d.surface.path(line, {d.style.line, color, series.dashed ? d.style.dash : 0});
            if (line.size() == 1) fill_disc(d.surface, line.front(), d.style.line, color);
        }
    for (const ChartPoint& point : series.points) {
        const auto at = d.place(point);
        if (!at) continue;
        if (has_marker(d, series, point)) fill_disc(d.surface, *at, d.style.marker, color);
        if (point.marked) draw_circle(d.surface, *at, 2 * d.style.marker, {d.style.line, d.style.ink});
    }
}

// --- Labels

// Covers the lines by small boxes, which labels avoid.
void cover_lines(const Drawing& d, const ChartSeries& series, std::vector<Box>& boxes) {
    const double step = d.text(0.4), half = d.text(0.12);
    for (const auto& line : lines_of(d, series)) {
        if (line.empty()) continue;
        Point from = line.front();
        for (const Point& to : line) {
            const double length = std::hypot(to.x - from.x, to.y - from.y);
            if (!(length >= step)) continue;
            const int count = int(length / step);
            for (int i = 0; i < count; ++i) {
                const double share = (i + 0.5) / count;
                const Point at{std::lerp(from.x, to.x, share), std::lerp(from.y, to.y, share)};
                boxes.push_back(Box{at.x, at.y, 0, 0}.grown(half));
            }
            from = to;
        }
    }
}

PlotObstacles obstacles_of(const Drawing& d) {
    // Slightly larger than the frame, because points may lie on the frame.
    PlotObstacles obstacles{d.map.box.grown(d.text(0.3)), {}, {}};
    obstacles.area.width = std::min(obstacles.area.width, d.area.right() - obstacles.area.left);
    for (const ChartSeries& series : d.chart.series) {
        if (series.line && !series.bars) cover_lines(d, series, obstacles.lines);
        for (const ChartPoint& point : series.points) {
            const auto at = d.place(point);
            if (!at || (!has_marker(d, series, point) && !point.marked)) continue;
            obstacles.taken.push_back(Box{at->x, at->y, 0, 0}.grown(d.style.marker * (point.marked ? 2 : 1)));
        }
    }
    return obstacles;
}

void write_in(const Drawing& d, const std::string& label, const Box& place, Rgb color) {
    d.write(label, {place.left, place.top + d.text(kCapital)}, color);
}

// Names each limit above or below its line, at the left or right end; over a curve if necessary.
void draw_limits(const Drawing& d, PlotObstacles& obstacles) {
    PlotObstacles names{obstacles.area, {}, {}};
    for (const ChartLimit& limit : d.chart.limits) {
        if (!d.map.axes.y.holds(limit.value)) continue;
        const Box& box = d.map.box;
        const double y = d.map.at(0, limit.value).y;
        draw_line(d.surface, {box.left, y}, {box.right(), y}, {d.style.hair, d.style.ink, d.style.dash});
        if (limit.name.empty()) continue;
        const double value = std::abs(limit.value);
        const bool is_long = value >= 1000 && value < 1e6;  // 10610, rather than 10606.4 or 1.06e4
        const double last = is_long ? std::pow(10, std::floor(std::log10(value)) - 3) : 1;
        const std::string label =
            limit.name + ": " +
            (is_long ? number_text(std::round(limit.value / last) * last, 6) : number_text(limit.value, 3));
        const Box size{0, 0, d.width(label), d.text(kCapital + kDescent)};
        const double gap = d.text(kGap / 2);
        const double left = box.left + d.text(kGap), right = box.right() - d.text(kGap) - size.width;
        std::array<Box, 4> places;
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = {
                i < 2 ? left : right, i % 2 == 0 ? y - gap - size.height : y + gap, size.width, size.height};
        auto place = free_place(places, obstacles);
        if (!place) place = free_place(places, names);
        if (!place) continue;
        write_in(d, label, *place, d.style.ink);
        obstacles.taken.push_back(*place);
        names.taken.push_back(*place);
    }
}

// Places labels of marked points first; a label without room is omitted.
void draw_point_labels(const Drawing& d, PlotObstacles obstacles) {
    std::vector<const ChartPoint*> wishes;
    for (const ChartSeries& series : d.chart.series)
        for (const ChartPoint& point : series.points)
            if (d.map.axes.holds(point) && !point.label.empty()) wishes.push_back(&point);
    std::ranges::stable_sort(wishes, std::ranges::greater(), &ChartPoint::marked);
    std::vector<PlotLabel> labels;
    for (const ChartPoint* point : wishes) {
        const Point at = *d.place(*point);
        const double ring = point->marked ? 2 * d.style.marker : 0;
        labels.push_back({at.x, at.y, d.width(point->label), d.text(kCapital + kDescent), ring});
    }
    const auto places = place_labels(labels, std::move(obstacles), d.text(0.45));
    for (std::size_t i = 0; i < wishes.size(); ++i)
        if (places[i]) write_in(d, wishes[i]->label, *places[i], d.style.ink);
}

}  // namespace

ChartMap draw_chart(Surface& surface, const Chart& chart, const Box& area, const ChartStyle& style) {
    Drawing d{surface, chart, area, style};
    const bool at_ends = names_fit_at_ends(d);
    std::vector<LegendEntry> legend;
    if (!at_ends && chart.series.size() > 1) legend = legend_of(d);
    const double above = legend.empty() ? 0 : legend.back().y + d.text(kLine / 2 + kGap);
    if (!lay_out(d, above, at_ends ? widest_name(d) + d.text(2 * kGap) : d.style.marker)) return {};
    draw_legend(d, legend);
    draw_axes(d);
    draw_density(d);
    PlotObstacles obstacles = obstacles_of(d);
    draw_limits(d, obstacles);
    for (std::size_t i = 0; i < chart.series.size(); ++i) draw_series(d, i);
    if (at_ends) draw_names_at_ends(d);
    draw_point_labels(d, std::move(obstacles));
    return d.map;
}

}  // namespace stencil::figure
