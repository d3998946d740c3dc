#include "sim/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/figure/canvas.h"
#include "sim/figure/raster.h"
#include "sim/figure/text.h"
#include "sim/figure/ticks.h"
#include "sim/files/atomic_file.h"
#include "sim/text/error.h"

namespace stencil::figure {
namespace {

// Lengths in points. Three panels in a row take 12 inches; fewer get more room each.
constexpr double kPanelSlot = 288;
constexpr double kSingleSlot = 432;
constexpr double kPairSlot = 324;

constexpr double kMargin = 12;
constexpr double kGroupGap = 14;

constexpr double kTitleSize = 12;
constexpr double kLabelSize = 10;
constexpr double kTickSize = 9;
constexpr double kCaptionSize = 8.5;
constexpr double kCaptionLeast = 7.5;
constexpr double kCaptionLine = 1.35;  // line height in font sizes
constexpr Rgb kCaptionColor = {110, 110, 110};

constexpr Stroke kFrame = {0.72};
constexpr double kTick = 3.24;
constexpr double kTickGap = 3;
constexpr double kTickRoom = 15;  // least distance of ticks
constexpr double kLabelGap = 6;
constexpr double kTitleGap = 8;
constexpr double kNoteGap = 5;
constexpr double kBarGap = 7.92;
constexpr double kBarWidth = 9.72;
constexpr double kArrow = 8.1;  // length of the arrow at an end of the colour bar
constexpr double kBelowPanel =
    kTick + kTickGap + kTickSize * kCapital + kLabelGap + kLabelSize * (kCapital + kDescent);

// Limits of a panel's aspect ratio, either way (beyond it cells are not square), and of its height relative
// to the widest panel possible.
constexpr double kMaxAspect = 4;
constexpr double kMaxTiles = 16;  // in place of it for a row of pictures
constexpr double kMaxHeight = 1.7;
constexpr double kLeastPanel = 36;
// A panel may shrink by this share so that every cell gets the same whole number of pixels.
constexpr double kWholeCellShrink = 0.12;
// Longer side of a panel's picture in SVG and PDF, in pixels.
constexpr int kVectorPixels = 1200;

double snap(double length) {
    return std::round(length * kPixelsPerPoint) / kPixelsPerPoint;
}

/// A panel with its title, axes and colour bar.
struct Group {
    const FigurePanel* panel = nullptr;
    Ticks x, y, bar;
    bool has_bar = true;  ///< a logarithmic one needs a value above 0
    std::string title, value_label;
    double y_tick_width = 0;
    double bar_tick_width = 0;
    double before = 0;  ///< width of everything left of the panel
    double after = 0;   ///< width of everything right of it, with the colour bar
    bool has_y_label = false;
    Box box;                     ///< the panel itself
    double title_rise = 0;       ///< from its top to the title's baseline
    double left = 0, right = 0;  ///< horizontal limits of its text

    /// The box of the colours; arrows at the ends reduce its height.
    Box bar_box() const {
        const double arrow = arrow_length(box.height);
        const double above = panel->range.above ? arrow : 0, below = panel->range.below ? arrow : 0;
        return {box.right() + kBarGap, box.top + above, kBarWidth, box.height - above - below};
    }
    /// The height of each arrow of a bar. `height` is that of the bar with its arrows.
    static double arrow_length(double height) { return std::min(kArrow, height / 4); }
};

struct Layout {
    double width = 0;
    double height = 0;
    std::vector<Group> groups;
    std::string heading;
    double top = 0;  ///< of the heading
    std::vector<std::string> caption;
    double caption_size = kCaptionSize;
};

/// Room for panels.
struct Room {
    double width = 0;  ///< of a row
    double panel_height = std::numeric_limits<double>::infinity();
};

double tick_width(std::string_view label) {
    return text_width(label, kTickSize);
}

int most_ticks(double length, double spacing) {
    return std::max(2, int(length / spacing) + 1);
}

// Ticks of a colour bar, whose ends always have labels.
Ticks bar_ticks(ValueRange range, double height) {
    const LabelWidth one_line = [](std::string_view) { return kTickSize; };
    Ticks ticks =
        with_ends(value_ticks(range, most_ticks(height, kTickRoom)), height, 0.4 * kTickSize, one_line);
    if (!tells_values(ticks, range)) ticks.marks = {{0, ticks.low}, {1, ticks.high}};
    return ticks;
}

// Returns the panel's size if `room` is available horizontally.
Box panel_size(const FigurePanel& panel, double room, double most_height) {
    const int nx = panel.field->nx(), ny = panel.field->ny();
    const double cells = double(std::max(nx, 1)) / std::max(ny, 1);
    const auto& along = panel.axes.along_x;
    const double most_aspect = along && !along->marks.empty() ? kMaxTiles : kMaxAspect;
    const double aspect = std::clamp(cells, 1 / most_aspect, most_aspect);
    const double most = std::min({room, room * kMaxHeight * aspect, most_height * aspect});
    double across = std::floor(most * kPixelsPerPoint);
    double down = std::max(1.0, std::round(across / aspect));
    if (nx > 0 && nx <= across && aspect == cells) {
        const double whole = nx * std::floor(across / nx);
        if (whole >= across * (1 - kWholeCellShrink)) {
            across = whole;
            down = whole / nx * ny;
        }
    }
    return {0, 0, across / kPixelsPerPoint, down / kPixelsPerPoint};
}

bool in_cells(const FigurePanel& panel) {
    return panel.axes.unit.empty() && !panel.axes.lengths;
}

// Measures everything about a panel except its position; `room` is its approximate width.
Group measured(const FigurePanel& panel, double room, double most_height, bool first) {
    Group group;
    group.panel = &panel;
    group.title = clean_text(panel.title);
    group.value_label = clean_text(panel.value_label);
    const Field& field = *panel.field;
    const Box size = panel_size(panel, room, most_height);
    const FigureAxes& axes = panel.axes;
    const auto ticks = [&](const std::optional<FigureScale>& along, double corner, int cells, int most) {
        if (along && !along->marks.empty()) return Ticks{along->marks, "", "", ""};
        return along             ? scale_ticks(along->first, along->last, most)
               : in_cells(panel) ? cell_ticks({0, double(cells)}, most)
                                 : value_ticks({corner, corner + cells * axes.cell}, most);
    };
    const std::string widest = in_cells(panel) && !axes.along_x ? std::to_string(field.nx()) : "0.000";
    const double x_label = text_width(widest, kTickSize);
    const int most_across = most_ticks(size.width, std::max(1.7 * x_label, kTickRoom));
    group.x = ticks(axes.along_x, axes.x, field.nx(), most_across);
    group.y = ticks(axes.along_y, axes.y, field.ny(), most_ticks(size.height, kTickRoom));
    group.has_bar = panel.range.scale != Scale::log || statistics_of(field).max > 0;
    if (group.has_bar)
        group.bar = bar_ticks(
            panel.range,
            size.height - Group::arrow_length(size.height) * (panel.range.above + panel.range.below));
    else
        group.value_label += group.value_label.empty() ? "no value above 0" : ": no value above 0";
    group.has_y_label = first;
    group.y_tick_width = widest_label(group.y, tick_width);
    group.bar_tick_width = widest_label(group.bar, tick_width);
    group.before = kTick + kTickGap + group.y_tick_width;
    if (first) group.before += kLabelGap + kLabelSize * (kCapital + kDescent);
    group.after = kBarGap + kBarWidth + kTick + kTickGap + group.bar_tick_width;
    if (!group.value_label.empty()) group.after += kLabelGap + kLabelSize * (kCapital + kDescent);
    return group;
}

std::vector<Group> measured_groups(std::span<const FigurePanel> panels, const Room& row, double& room) {
    std::vector<Group> groups;
    room = 0.62 * row.width / double(panels.size());
    for (const FigurePanel& panel : panels)
        groups.push_back(measured(panel, room, row.panel_height, groups.empty()));
    double taken = 2 * kMargin + kGroupGap * double(panels.size() - 1);
    for (const Group& group : groups) taken += group.before + group.after;
    room = std::max((row.width - taken) / double(panels.size()), kLeastPanel);
    return groups;
}

// Places the groups from left to right with equal gaps, and returns the height of the highest panel.
double place_across(std::vector<Group>& groups, const Room& row, double room) {
    double height = 0;
    double spare = row.width - 2 * kMargin - kGroupGap * double(groups.size() - 1);
    for (Group& group : groups) {
        group.box = panel_size(*group.panel, room, row.panel_height);
        height = std::max(height, group.box.height);
        spare -= group.before + group.box.width + group.after;
    }
    const double share = std::max(0.0, spare / double(groups.size()));
    double x = kMargin + share / 2;
    for (Group& group : groups) {
        group.left = x - share / 2;
        group.box.left = snap(x + group.before);
        x = group.box.right() + group.after;
        group.right = x + share / 2;
        x += share + kGroupGap;
    }
    return height;
}

double centred_start(double middle, double width, double left, double right) {
    return std::clamp(middle - width / 2, left, std::max(left, right - width));
}

double note_start(const Group& group) {
    const double width = text_width(group.bar.note, kTickSize);
    return std::max(group.left, std::min(group.bar_box().left, group.right - width));
}

// Titles are just above their panels, or all a line higher if one would touch a colour bar's note.
double title_rise(const std::vector<Group>& groups) {
    bool touches = false;
    for (const Group& group : groups) {
        if (group.bar.note.empty()) continue;
        const double width = text_width(group.title, kTitleSize);
        const double start = centred_start(group.box.middle_x(), width, group.left, group.right);
        touches |= start + width + kLabelGap > note_start(group);
    }
    return touches ? kNoteGap + kTickSize + kNoteGap : kTitleGap;
}

void set_caption(Layout& layout, const std::string& caption) {
    const std::string text = clean_text(caption);
    const double room = layout.width - 2 * kMargin;
    const FittedText fitted = fit_text(text, room, kCaptionSize, kCaptionLeast);
    const bool one_line = fitted.text == text;
    layout.caption_size = one_line ? fitted.size : kCaptionSize;
    layout.caption = one_line && !text.empty() ? std::vector{text} : wrap_text(text, room, kCaptionSize);
}

// Adds a row below `top`; returns its lower end.
double add_row(Layout& layout, std::span<const FigurePanel> panels, const Room& row, double top) {
    double room = 0;
    std::vector<Group> groups = measured_groups(panels, row, room);
    const double height = place_across(groups, row, room);
    const double rise = title_rise(groups);
    for (Group& group : groups) {
        group.title_rise = rise;
        group.box.top = snap(top + kTitleSize * kCapital + rise);
    }
    const double bottom = groups.front().box.top + height + kBelowPanel;
    std::ranges::move(groups, std::back_inserter(layout.groups));
    return bottom;
}

Layout lay_out(std::span<const FigurePanel> panels,
               const FigurePage& page,
               const std::string& caption,
               const Room& room,
               double top) {
    Layout layout;
    layout.width = room.width;
    layout.heading = clean_text(page.heading);
    layout.top = top;
    set_caption(layout, caption);
    double bottom = top + (layout.heading.empty() ? 0 : kTitleSize * (kCapital + kDescent) + kTitleGap);
    for (std::size_t i = 0; i < panels.size(); i += page.columns)
        bottom = kMargin +
                 add_row(layout, panels.subspan(i, std::min(page.columns, panels.size() - i)), room, bottom);
    if (!layout.caption.empty()) {
        const double line = layout.caption_size * kCaptionLine;
        bottom += double(layout.caption.size() - 1) * line + layout.caption_size * (kCapital + kDescent) +
                  kMargin * 0.8;
    }
    layout.height = std::ceil(bottom * kPixelsPerPoint) / kPixelsPerPoint;
    return layout;
}

// Makes the panels of a page of fixed height as high as fits, and centres them.
Layout make_layout(std::span<const FigurePanel> panels, const FigurePage& page, const std::string& caption) {
    const double count = std::max(1.0, double(std::min(page.columns, panels.size())));
    const double usual = count == 1 ? kSingleSlot : count * (count == 2 ? kPairSlot : kPanelSlot);
    Room room{page.size.width > 0 ? page.size.width : usual};
    Layout layout = lay_out(panels, page, caption, room, kMargin);
    if (page.size.height <= 0) return layout;
    if (layout.height > page.size.height) {
        double highest = 0, panel_heights = 0;
        const double rows = std::ceil(double(panels.size()) / count);
        for (std::size_t i = 0; i < layout.groups.size(); ++i) {
            if (i % page.columns == 0) panel_heights += std::exchange(highest, 0);
            highest = std::max(highest, layout.groups[i].box.height);
        }
        panel_heights += highest;
        const double around = layout.height - panel_heights;
        room.panel_height = std::max((page.size.height - around) / rows, kLeastPanel);
        layout = lay_out(panels, page, caption, room, kMargin);
    }
    const double spare = std::max(0.0, page.size.height - layout.height);
    layout = lay_out(panels, page, caption, room, kMargin + spare / 2);
    layout.height = std::max(layout.height, page.size.height);
    return layout;
}

Raster panel_raster(const Group& group, FigureFormat format) {
    const Field& field = *group.panel->field;
    double across = std::round(group.box.width * kPixelsPerPoint);
    double down = std::round(group.box.height * kPixelsPerPoint);
    if (format != FigureFormat::png) {
        // A whole number of pixels per cell, so that no cell edge lies within a pixel, where viewers that
        // smooth pictures would blur it.
        const double scale = kVectorPixels / std::max(across, down);
        const auto pixels = [&](double length, int cells) {
            const double most = std::max(1.0, std::round(length * scale));
            return cells <= most ? cells * std::floor(most / cells) : most;
        };
        across = pixels(across, field.nx());
        down = pixels(down, field.ny());
    }
    const FigurePanel& panel = *group.panel;
    if (panel.surface)
        return surface_raster(
            field, *panel.colors, panel.range, *panel.surface, int(across), int(down), true);
    return field_raster(field, *panel.colors, panel.range, int(across), int(down), panel.contours);
}

// Draws the labels of the box around a surface.
void draw_surface_axes(FigureCanvas& canvas, const Group& group) {
    const FigurePanel& panel = *group.panel;
    const Box& box = group.box;
    const SurfaceBox edges = surface_box(
        SurfaceProjection(*panel.surface, panel.field->nx(), panel.field->ny(), box.width, box.height));
    const auto label = [&](const SurfaceAxis& axis, double place, const std::string& text, double up = 0) {
        const SurfacePoint at = axis.at(place), out = axis.outward;
        const Point point{box.middle_x() + at.x, box.middle_y() + at.y};
        if (!box.holds({point.x, point.y, 0, 0})) return;
        const double beyond = kTick + 0.5 * (std::abs(out.x) * text_width(text, kTickSize) + kTickSize);
        draw_line(canvas, point, {point.x + kTick * out.x, point.y + kTick * out.y}, kFrame);
        canvas.text(text,
                    {point.x + beyond * out.x, point.y + beyond * out.y + kTickSize * kCapital / 2 - up},
                    {.size = kTickSize, .anchor = Anchor::middle});
    };
    for (const Tick& tick : group.x.marks) label(edges.x, tick.position, tick.label);
    for (const Tick& tick : group.y.marks) label(edges.y, tick.position, tick.label);
    if (std::abs(edges.z.edge.to.y - edges.z.edge.from.y) < 2 * kTickSize) return;
    const auto value = [&](double end) {
        constexpr double kNothing = 1e-6;
        const bool zero = std::abs(end) < kNothing * (panel.range.high - panel.range.low);
        return fmt::format("{:.4g}", zero ? 0 : end);
    };
    label(edges.z, 0, value(panel.range.low), kTickSize / 2);
    label(edges.z, 1, value(panel.range.high));
}

void draw_axes(FigureCanvas& canvas, const Group& group) {
    const Box& box = group.box;
    const double under = box.bottom() + kTick + kTickGap + kTickSize * kCapital;
    for (const Tick& tick : group.x.marks) {
        const double x = snap(box.left + tick.position * box.width);
        draw_line(canvas, {x, box.bottom()}, {x, box.bottom() + kTick}, kFrame);
        canvas.text(tick.label, {x, under}, {.size = kTickSize, .anchor = Anchor::middle});
    }
    for (const Tick& tick : group.y.marks) {
        const double y = snap(box.top + tick.position * box.height);
        draw_line(canvas, {box.left, y}, {box.left - kTick, y}, kFrame);
        canvas.text(tick.label,
                    {box.left - kTick - kTickGap, y + kTickSize * kCapital / 2},
                    {.size = kTickSize, .anchor = Anchor::end});
    }
    draw_frame(canvas, box, kFrame);
    const FigurePanel& panel = *group.panel;
    const auto title = [&](const std::optional<FigureScale>& along,
                           const std::string& axis,
                           const Ticks& ticks) {
        const std::string of = clean_text(along ? along->unit : in_cells(panel) ? "cells" : panel.axes.unit);
        const std::string name = along ? clean_text(along->name) : axis;
        return axis_title(of.empty() ? name : fmt::format("{} ({})", name, of), ticks);
    };
    canvas.text(title(panel.axes.along_x, panel.x_name, group.x),
                {box.middle_x(), under + kLabelGap + kLabelSize * kCapital},
                {.size = kLabelSize, .anchor = Anchor::middle});
    if (!group.has_y_label) return;
    const double x = box.left - kTick - kTickGap - group.y_tick_width - kLabelGap - kLabelSize * kDescent;
    canvas.text_upwards(title(panel.axes.along_y, "y", group.y),
                        {x, box.middle_y()},
                        {.size = kLabelSize, .anchor = Anchor::middle});
}

// Draws a triangle in the end's colour at each end that values exceed.
void draw_arrows(FigureCanvas& canvas, const Group& group) {
    const Box bar = group.bar_box();
    const auto arrow = [&](double base, double tip, Rgb color) {
        const Point corners[] = {{bar.left, base}, {bar.middle_x(), tip}, {bar.right(), base}};
        canvas.fill(corners, color);
        canvas.path(corners, kFrame);
    };
    const auto& colors = group.panel->colors->colors;
    if (group.panel->range.above) arrow(bar.top, group.box.top, colors.back());
    if (group.panel->range.below) arrow(bar.bottom(), group.box.bottom(), colors.front());
}

void draw_scale(FigureCanvas& canvas, const Group& group, FigureFormat format, double ticks_end) {
    const Box box = group.bar_box();
    const bool exact = format == FigureFormat::png;
    canvas.picture(bar_raster(*group.panel->colors,
                              group.panel->range,
                              exact ? int(std::lround(box.width * kPixelsPerPoint)) : 16,
                              exact ? int(std::lround(box.height * kPixelsPerPoint)) : 1024),
                   box);
    for (const Tick& tick : group.bar.marks) {
        const double y = snap(box.bottom() - tick.position * box.height);
        draw_line(canvas, {box.right(), y}, {box.right() + kTick, y}, kFrame);
        canvas.text(tick.label, {ticks_end, y + kTickSize * kCapital / 2}, {.size = kTickSize});
    }
    draw_arrows(canvas, group);
    draw_frame(canvas, box, kFrame);
    if (!group.bar.note.empty())
        canvas.text(group.bar.note, {note_start(group), group.box.top - kNoteGap}, {.size = kTickSize});
}

void draw_bar(FigureCanvas& canvas, const Group& group, FigureFormat format) {
    const double ticks_end = group.bar_box().right() + kTick + kTickGap;
    if (group.has_bar) draw_scale(canvas, group, format, ticks_end);
    if (group.value_label.empty()) return;
    const FittedText label =
        fit_text(group.value_label, group.box.height + 2 * kLabelSize, kLabelSize, kLabelSize * 0.7);
    const double x = ticks_end + group.bar_tick_width + kLabelGap + kLabelSize * kCapital;
    canvas.text_upwards(
        label.text, {x, group.box.middle_y()}, {.size = label.size, .anchor = Anchor::middle});
}

void draw_lines(FigureCanvas& canvas, const Group& group) {
    const FigurePanel& panel = *group.panel;
    const double across = group.box.width / panel.field->nx(), down = group.box.height / panel.field->ny();
    std::vector<Point> points;
    for (const FigureLine& line : panel.lines) {
        points.clear();
        for (const SamplePoint& at : line.points)
            points.push_back({group.box.left + at.x * across, group.box.top + at.y * down});
        canvas.path(points, {line.width, line.color});
    }
}

void draw(FigureCanvas& canvas, const Layout& layout, FigureFormat format) {
    if (!layout.heading.empty()) {
        const FittedText heading =
            fit_text(layout.heading, layout.width - 2 * kMargin, kTitleSize, kTitleSize * 0.7);
        canvas.text(heading.text,
                    {layout.width / 2, layout.top + kTitleSize * kCapital},
                    {.size = heading.size, .anchor = Anchor::middle});
    }
    for (const Group& group : layout.groups) {
        if (group.panel->field->size() > 0) canvas.picture(panel_raster(group, format), group.box);
        draw_lines(canvas, group);
        if (group.panel->surface)
            draw_surface_axes(canvas, group);
        else
            draw_axes(canvas, group);
        draw_bar(canvas, group, format);
        const FittedText title =
            fit_text(group.title, group.right - group.left, kTitleSize, kTitleSize * 0.7);
        const double width = text_width(title.text, title.size);
        const double start = centred_start(group.box.middle_x(), width, group.left, group.right);
        canvas.text(title.text,
                    {start + width / 2, group.box.top - group.title_rise},
                    {.size = title.size, .anchor = Anchor::middle});
    }
    const double line = layout.caption_size * kCaptionLine;
    double y = layout.height - kMargin * 0.8 - layout.caption_size * kDescent;
    y -= line * (double(layout.caption.size()) - 1);
    for (const std::string& text : layout.caption) {
        canvas.text(text, {kMargin, y}, {.size = layout.caption_size, .color = kCaptionColor});
        y += line;
    }
}

}  // namespace

void add_contours(FigurePanel& panel, std::string_view contours) {
    constexpr std::size_t kMostCells = 1 << 22;
    const auto levels = contour_levels(contours, panel.range);
    if (panel.field->size() > kMostCells) {
        panel.contours = levels;
        return;
    }
    for (const ContourLine& line : contour_lines(*panel.field, levels)) {
        const bool light = is_light(panel.colors->at(line.level, panel.range));
        panel.lines.push_back({line.points, light ? Rgb{0, 0, 0} : Rgb{255, 255, 255}});
    }
}

void add_outline(FigurePanel& panel, const ShapeOutline& outline) {
    for (const auto& [color, width] : {std::pair{Rgb{0, 0, 0}, 1.4}, std::pair{Rgb{255, 255, 255}, 0.6}})
        for (const OutlineStretch& stretch : outline)
            panel.lines.push_back({{stretch.from, stretch.to}, color, width});
}

std::string figure_bytes(FigureFormat format,
                         std::span<const FigurePanel> panels,
                         const std::string& caption,
                         const FigurePage& page) {
    const Layout layout = make_layout(panels, page, caption);
    std::string name = caption.empty() ? page.heading : caption;
    if (name.empty() && !panels.empty()) name = panels.front().title;
    const auto canvas = make_canvas(format, layout.width, layout.height, clean_text(name));
    draw(*canvas, layout, format);
    return canvas->finish();
}

void write_figure(const std::filesystem::path& path,
                  FigureFormat format,
                  std::span<const FigurePanel> panels,
                  const std::string& caption,
                  const FigurePage& page) {
    std::string file;
    try {
        file = figure_bytes(format, panels, caption, page);
    } catch (const MachineError& error) {
        throw MachineError("cannot write {}: {}", path.string(), error.what());
    }
    write_text_file(path, file);
}

}  // namespace stencil::figure
