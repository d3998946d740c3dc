#include "app/window/canvas/canvas_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/window/canvas/rimmed_overlay.h"
#include "app/window/format.h"
#include "app/window/theme.h"
#include "sim/figure/chart.h"
#include "sim/problem/units.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

// Pixels at scale 1.
constexpr double kGridFrom = 16;
constexpr double kSmallestCircle = 2.5;
// Larger circles (pixels) are skipped: they would look straight, with visible corners.
constexpr double kLargestCircle = 1e5;

// Sizes in lines of text.
constexpr double kWordsFrom = 15;
constexpr double kAxisText = 0.8;

// A soft brush has half its effect at this share of its radius: (1 - t)^2 = 1/2 at t = 1 - sqrt(1/2).
const double kHalfEffect = std::sqrt(1 - std::sqrt(0.5));

constexpr ImU32 kGrid = IM_COL32(128, 128, 128, 75);

// Returns the colour of the probe's or profile's curve in the plots.
ImU32 series_color(std::size_t index) {
    return packed(figure::series_color(index));
}

/// Returns the first pixel whose centre lies at or beyond the cell coordinate.
double first_pixel(double origin, double scale, double cell) {
    return std::ceil((cell - origin) * scale - 0.5);
}

/// Draws a badge with its right edge at `right` and returns its left edge.
double badge(Painter& painter, const ScreenRect& strip, double right, const std::string& text, ImU32 color) {
    const double size = painter.line_height() * 0.9;
    const double pad = size * 0.5;
    const double width = painter.text_width(text, size) + 2 * pad;
    const double height = std::round(size * 1.35);
    const ScreenRect plate{right - width, strip.y + std::floor((strip.height - height) / 2), width, height};
    if (plate.x < strip.x) return right;
    painter.fill(plate, faded(color, kBadgeShare), height / 2);
    painter.text(plate.x + pad, plate.y + (height - size) / 2, size, color, text);
    return plate.x - pad;
}

// Least width, in pixels at scale 1, of a cell that shows its number, and the share of it that text may fill.
constexpr double kMinWidth = 46;
constexpr double kShareOfCell = 0.88;

bool large_enough(const UiState& ui) {
    return ui.preferences.show_numbers && ui.view.scale >= kMinWidth * ui.scale;
}

/// Texts of all values, with the most digits and largest size at which the longest fits its cell.
struct Labels {
    std::vector<std::string> texts;
    double size = 0;
};

Labels fitting_labels(const Painter& painter, const std::vector<double>& values, double room) {
    Labels labels;
    const double whole = painter.line_height();
    for (int digits = 4; digits >= 2; --digits) {
        labels.texts.clear();
        double widest = 1;
        for (const double value : values) {
            labels.texts.push_back(fmt::format("{:.{}g}", value, digits));
            widest = std::max(widest, painter.text_width(labels.texts.back(), whole));
        }
        labels.size = std::floor(std::min(whole, whole * room / widest));
        if (labels.size >= whole * kSmallestText) break;
    }
    return labels;
}

// Appends step, time (for typed equations) and zoom to the title as far as there is room, the step first.
std::string with_moment(const Painter& painter, const OverlayScene& scene, std::string title, double room) {
    const double size = painter.line_height();
    if (const Pane pane = main_pane(scene.ui.panes); pane != Pane::start) {
        const auto& frame = scene.snapshot.frame;
        const long long steps = frame ? frame->step : scene.snapshot.step;
        const std::string step = fmt::format("step {}", steps);
        title += ", " + step;
        if (painter.text_width(title, size) > room) return step;
        if (const std::string time = time_text(scene.snapshot.spec, steps); !time.empty()) {
            if (painter.text_width(title + ", t = " + time, size) > room) return title;
            title += ", t = " + time;
        }
    }
    if (!shows_cells(main_pane(scene.ui.panes))) return title;
    const std::string zoom = fmt::format(", ×{:.3g}", scene.ui.view.scale);
    return painter.text_width(title + zoom, size) > room ? title : title + zoom;
}

constexpr double kApart = 28;  // least distance in pixels at scale 1

// Ticks of the part from `low` to `high`, as shares of the axis.
figure::Ticks scaled_ticks(const AxisScale& scale,
                           double low,
                           double high,
                           double length,
                           double gap,
                           const figure::LabelWidth& width) {
    const auto value = [&](double share) { return std::lerp(scale.first, scale.last, share); };
    const auto most = [&](int count) {
        if (scale.labels.empty()) return figure::scale_ticks(value(low), value(high), count);
        figure::Ticks ticks;
        const double parts = double(scale.labels.size());
        for (std::size_t i = 0; i < scale.labels.size(); ++i)
            if (const double middle = (double(i) + 0.5) / parts; middle >= low && middle <= high)
                ticks.marks.push_back({(middle - low) / (high - low), scale.labels[i]});
        return ticks;
    };
    figure::Ticks found = figure::fitting_ticks(most, length, gap, width);
    if (!found.note.empty() && !found.marks.empty()) found.marks.back().label += " " + found.note;
    return found;
}

/// Draws over and around the picture of one slot.
struct Overlay : RimmedOverlay {
    bool shows_values() const { return slot.pane == Pane::now || component_of(slot.pane); }

    void rimmed_line(SamplePoint from, SamplePoint to, ImU32 color = kLight, double wider = 0) {
        painter.line(from.x, from.y, to.x, to.y, kDark, (kShadowWidth + wider) * unit);
        painter.line(from.x, from.y, to.x, to.y, color, (kLineWidth + wider) * unit);
    }

    void rimmed_disc(SamplePoint at, double rim, ImU32 color) {
        painter.disc(at.x, at.y, (kHandle + rim) * unit, kDark);
        painter.disc(at.x, at.y, kHandle * unit, color);
    }

    void draw_brush() {
        const SamplePoint at = on_screen(*scene.brush_at);
        const BrushShape shape = scene.brush.shape;
        const bool extends = shape == BrushShape::round || shape == BrushShape::square;
        const double radius = extends ? scene.brush.radius * scene.ui.view.scale : 0;
        if (radius > kLargestCircle) return;
        if (radius < kSmallestCircle * unit) return cross(at, 2 * kSmallestCircle * unit);
        if (shape == BrushShape::square)
            return rimmed_frame({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
        rimmed_circle(at, radius, unit);
        const double inner = radius * kHalfEffect;
        if (scene.brush.soft && inner > 2 * kSmallestCircle * unit)
            painter.circle(at.x, at.y, inner, faded(kLight, 0.5), unit);
    }

    // Draws the line or rectangle that will be painted on release.
    void draw_pending(const BrushPiece& piece) {
        if (piece.brush.shape == BrushShape::rectangle)
            return rimmed_frame(place(scene.ui.view, slot.picture, {piece.x0, piece.y0, piece.x1, piece.y1}));
        const SamplePoint from = on_screen({piece.x0, piece.y0});
        rimmed_line(from, on_screen({piece.x1, piece.y1}));
        const double radius = piece.brush.radius * scene.ui.view.scale;
        if (radius <= kLargestCircle) rimmed_circle(from, radius, unit);
    }

    // Draws the 1-based number of a probe or profile beside it.
    void draw_number(SamplePoint at, std::size_t index) {
        const double size = painter.line_height() * 0.85;
        const std::string number = std::to_string(index + 1);
        const double pad = 3 * unit;
        const double width = painter.text_width(number, size) + 2 * pad;
        const ScreenRect plate{at.x + (kHandle + 3) * unit, at.y - size - pad, width, size + pad};
        painter.fill(plate, IM_COL32(0, 0, 0, 170), 3 * unit);
        painter.text(plate.x + pad, plate.y + pad / 2, size, kLight, number);
    }

    void draw_profile(std::size_t index) {
        const ProfileLine& line = scene.ui.profiles[index];
        const SamplePoint from = on_screen(line.from), to = on_screen(line.to);
        const ImU32 color = series_color(index);
        rimmed_line(from, to, color, 0.5);
        // The first end of the line is the filled one.
        rimmed_disc(from, 1.5, kLight);
        rimmed_disc(to, 1.5, color);
        painter.circle(to.x, to.y, kHandle * unit, kLight, kLineWidth * unit);
        if (scene.ui.profiles.size() > 1) draw_number(from, index);

        const double length = std::hypot(line.to.x - line.from.x, line.to.y - line.from.y);
        if (!scene.ui.on_profile || *scene.ui.on_profile > length) return;
        const double along = *scene.ui.on_profile / length;
        const SamplePoint at{std::lerp(line.from.x, line.to.x, along),
                             std::lerp(line.from.y, line.to.y, along)};
        rimmed_circle(on_screen(at), 2 * kHandle * unit, unit);
    }

    void draw_probe(std::size_t index) {
        const ProbeSeries& probe = scene.snapshot.probes[index];
        const SamplePoint at = on_screen({probe.x + 0.5, probe.y + 0.5});
        rimmed_disc(at, 1, series_color(index));
        painter.circle(at.x, at.y, kHandle * unit, kLight, kLineWidth * unit);
        draw_number(at, index);
    }

    void draw_axes(const ScreenRect& at) {
        const FieldAxes& axes = scene.axes;
        if (axes.line == 0 || !slot.x_axis) return;
        const double size = kAxisText * axes.line, tick = std::round(0.25 * axes.line);
        const double bottom = at.y + at.height + 1;
        const ImU32 color = scene.colors.faint_text;
        for (const figure::Tick& mark : axes.x.marks) {
            const double x = at.x + std::min(std::floor(mark.position * at.width), at.width - 1);
            // The last label is right-aligned, leaving room for the first label of the next picture.
            const double width = painter.text_width(mark.label, size);
            const double left = std::min(x - width / 2, at.x + at.width - width);
            painter.fill({x, bottom, 1, tick}, color);
            painter.text(left, bottom + tick, size, color, mark.label);
        }
        if (!slot.y_axis) return;
        for (const figure::Tick& mark : axes.y.marks) {
            const double y = at.y + std::min(std::floor(mark.position * at.height), at.height - 1);
            const double left = at.x - 1.5 * tick - painter.text_width(mark.label, size);
            painter.fill({at.x - 1 - tick, y, tick, 1}, color);
            painter.text(left, y - size / 2, size, color, mark.label);
        }
        if (!axes.scales.y) return;
        const double left = at.x - 1.5 * tick - painter.text_width(axes.scales.y->name, size);
        painter.text(left, at.y - 1.6 * size, size, color, axes.scales.y->name);
    }

    void draw_field_outline() {
        const ScreenRect field = field_pixels(scene.ui.view, slot.picture, scene.field);
        // Clip near the picture: far outside, floats cannot represent whole pixels.
        const Painter::Clip clip(painter, grown(slot.picture, 1));
        painter.frame(intersection(grown(field, 1), grown(slot.picture, 9)), scene.colors.outline);
    }

    void draw_grid() {
        const CanvasView& view = scene.ui.view;
        if (view.scale < kGridFrom * unit) return;
        const auto visible = visible_part(view, slot.picture, scene.field, false);
        if (!visible) return;
        const CellArea& area = visible->area;
        const ScreenRect at = place(view, slot.picture, area);
        const Painter::Clip clip(painter, at);
        for (double x = std::ceil(area.x0); x < area.x1; ++x)
            painter.fill({slot.picture.x + first_pixel(view.x, view.scale, x), at.y, 1, at.height}, kGrid);
        for (double y = std::ceil(area.y0); y < area.y1; ++y)
            painter.fill({at.x, slot.picture.y + first_pixel(view.y, view.scale, y), at.width, 1}, kGrid);
    }

    void draw_numbers() {
        const auto& frame = scene.snapshot.frame;
        if (!frame || !frame->numbers || frame->panes.empty() || !large_enough(scene.ui)) return;
        const PaneImage& image = frame->panes.front();
        const auto& [block, values] = *frame->numbers;
        if (image.request.pane != slot.pane || values.size() != std::size_t(block.nx) * std::size_t(block.ny))
            return;
        const Labels labels = fitting_labels(painter, values, scene.ui.view.scale * kShareOfCell);
        const Colormap& map = colormap(image.colormap);
        const Painter::Clip clip(painter, slot.picture);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double x = block.x + double(i % std::size_t(block.nx));
            const double y = block.y + double(i / std::size_t(block.nx));
            const ScreenRect at = place(scene.ui.view, slot.picture, {x, y, x + 1, y + 1});
            const ScreenRect seen = intersection(at, slot.picture);
            if (seen.width <= 0 || seen.height <= 0) continue;
            const double left = at.x + (at.width - painter.text_width(labels.texts[i], labels.size)) / 2;
            const double top = at.y + (at.height - labels.size) / 2;
            const bool on_light = is_light(map.at(values[i], image.range));
            const ImU32 color = on_light ? IM_COL32(0, 0, 0, 230) : IM_COL32(255, 255, 255, 230);
            painter.text(left, top, labels.size, color, labels.texts[i]);
        }
    }

    void draw_arrows() {
        const auto& frame = scene.snapshot.frame;
        if (!shows_values() || !frame || !frame->arrows || scene.snapshot.now.drawn_arrows().empty()) return;
        const Painter::Clip clip(painter, slot.picture);
        const auto shapes = arrow_shapes(*frame->arrows);
        for (const auto& [color, width] : {std::pair{kDark, 3.0}, {kLight, 1.3}})
            for (const ArrowShape& shape : shapes)
                for (const SamplePoint& from : {shape.tail, shape.left, shape.right}) {
                    const SamplePoint a = on_screen(from), b = on_screen(shape.tip);
                    painter.line(a.x, a.y, b.x, b.y, color, width * unit);
                }
    }

    // Draws the edge of the model's shape, light between dark lines, each a whole number of pixels wide.
    void draw_shape_outline() {
        const auto& frame = scene.snapshot.frame;
        // Not over the initial field: a moving shape was elsewhere then.
        if (!frame || !frame->outline || !scene.snapshot.now.draws_outline() || slot.pane == Pane::start)
            return;
        const Painter::Clip clip(painter, slot.picture);
        const double width = std::max(1.0, std::round(unit));
        for (const auto& [color, grow] : {std::pair{kDark, width}, {kLight, 0.0}})
            for (const OutlineStretch& stretch : *frame->outline) {
                const SamplePoint a = on_screen(stretch.from), b = on_screen(stretch.to);
                const double x = std::round(a.x - width / 2), y = std::round(a.y - width / 2);
                painter.fill(
                    grown({x, y, std::round(b.x - a.x) + width, std::round(b.y - a.y) + width}, grow), color);
            }
    }

    // Draws the circle of --wave-ring in the middle of the visible area.
    void draw_wave_ring() {
        const auto& relation = scene.ui.panel.dispersion.relation;
        if (!scene.snapshot.now.wave_ring || !shows_values() || !relation || !relation->fastest) return;
        const double cells = relation->fastest->length() / scene.snapshot.now.dx;
        const double radius = cells / 2 * scene.ui.view.scale;
        const ScreenRect seen =
            intersection(field_pixels(scene.ui.view, slot.picture, scene.field), slot.picture);
        if (radius > std::min(kLargestCircle, std::max(seen.width, seen.height))) return;
        const Painter::Clip clip(painter, slot.picture);
        rimmed_circle({seen.x + seen.width / 2, seen.y + seen.height / 2}, radius, 1.5 * unit);
    }

    void draw_tools() {
        const Painter::Clip clip(painter, slot.picture);
        for (std::size_t i = 0; i < scene.ui.profiles.size(); ++i) draw_profile(i);
        for (std::size_t i = 0; i < scene.snapshot.probes.size(); ++i) draw_probe(i);
        if (scene.pending) draw_pending(*scene.pending);
        if (scene.brush_at)
            draw_brush();
        else if (scene.ui.hover && scene.ui.panes.size() > 1)
            cross(on_screen(*scene.ui.hover), 5 * unit);
    }
};

}  // namespace

namespace {

// The ticks of one axis: whole cells, or any values in a unit.
struct AxisRange {
    double low = 0, high = 0;
    bool cells = false;
    std::string unit = {};
};

figure::Ticks ticks_of(const AxisRange& axis, double length, double size, const figure::LabelWidth& width) {
    const double slack = 1e-9 * (axis.high - axis.low);  // so that rounding drops no whole number at an end
    const ValueRange range{axis.low - slack, axis.high + slack};
    const auto most = [&](int count) {
        return axis.cells ? figure::cell_ticks(range, count) : figure::value_ticks(range, count);
    };
    figure::Ticks found = figure::fitting_ticks(most, length, size, width);
    const std::string unit = found.note + axis.unit;
    if (!unit.empty() && !found.marks.empty()) found.marks.back().label += " " + unit;
    return found;
}

FieldAxes make_axes(const ResampleRequest& visible,
                    double line,
                    const figure::FigureAxes& cells,
                    const AxisRange& x,
                    const AxisRange& y) {
    const double size = kAxisText * line;
    const auto across = [&](std::string_view label) { return Painter().text_width(label, size); };
    const auto down = [&](std::string_view) { return size; };
    return {visible,
            line,
            cells,
            ticks_of(x, visible.width, size, across),
            ticks_of(y, visible.height, size, down)};
}

AxisRange along(const figure::FigureAxes& cells, double corner, double low, double high) {
    const bool counts = cells.unit.empty() && !cells.lengths;
    if (counts) return {low, high, true};
    return {corner + low * cells.cell, corner + high * cells.cell, false, cells.unit};
}

}  // namespace

FieldAxes axes_over(const ResampleRequest& visible,
                    double line,
                    const figure::FigureAxes& cells,
                    FieldSize field,
                    const AxisScales& scales) {
    const CellArea& area = visible.area;
    FieldAxes axes = make_axes(visible,
                               line,
                               cells,
                               along(cells, cells.x, area.x0, area.x1),
                               along(cells, cells.y, area.y0, area.y1));
    axes.field = field;
    axes.scales = scales;
    const double size = kAxisText * line;
    if (scales.x) {
        const auto across = [&](std::string_view label) { return Painter().text_width(label, size); };
        axes.x = scaled_ticks(*scales.x, area.x0 / field.nx, area.x1 / field.nx, visible.width, size, across);
        if (std::string* last = axes.x.marks.empty() ? nullptr : &axes.x.marks.back().label)
            *last = fmt::format("{} = {}", scales.x->name, *last);
    }
    if (scales.y)
        axes.y = scaled_ticks(
            *scales.y, area.y0 / field.ny, area.y1 / field.ny, visible.height, size, [&](std::string_view) {
                return size;
            });
    return axes;
}

FieldAxes axes_over_time(const ResampleRequest& visible, double line, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const figure::FigureAxes& cells = snapshot.axes;
    const bool upright = now.size && now.size->nx == 1;
    const CellArea& area = visible.area;
    const AxisRange x =
        along(cells, upright ? cells.y : cells.x, 0, upright ? area.y1 - area.y0 : area.x1 - area.x0);
    if (snapshot.rows.empty()) return make_axes(visible, line, cells, x, {0, 1});
    const long long first = snapshot.rows.front().step, last = snapshot.rows.back().step;
    const auto begin = time_at(snapshot.spec, first), end = time_at(snapshot.spec, last);
    const AxisRange y = begin && end ? AxisRange{*begin, *end, false, now.unit_time.name}
                                     : AxisRange{double(first), double(last), true};
    return make_axes(visible, line, cells, x, y);
}

void draw_outline_and_axes(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    Overlay overlay{{painter, scene, slot}};
    overlay.draw_field_outline();
    overlay.draw_axes(place(scene.ui.view, slot.picture, scene.axes.of.area));
}

void draw_over_field(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    draw_outline_and_axes(painter, scene, slot);
    Overlay overlay{{painter, scene, slot}};
    overlay.draw_grid();
    overlay.draw_numbers();
    overlay.draw_shape_outline();
    overlay.draw_arrows();
    overlay.draw_wave_ring();
    overlay.draw_tools();
}

void draw_around_rows(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    painter.frame(grown(slot.picture, 1), scene.colors.outline);
    Overlay{{painter, scene, slot}}.draw_axes(slot.picture);
}

void draw_around_surface(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    const FieldAxes& axes = scene.axes;
    const PaneImage* image = image_of(scene.snapshot, slot.pane);
    if (axes.line == 0 || !scene.ui.preferences.axes || !image) return;
    const ScreenRect& picture = slot.picture;
    const SurfaceBox box = surface_box(
        SurfaceProjection(scene.ui.surface, scene.field.nx, scene.field.ny, picture.width, picture.height));
    const double size = kAxisText * axes.line, tick = std::round(0.25 * axes.line);
    const ImU32 color = scene.colors.faint_text;
    const auto label = [&](const SurfaceAxis& axis, double place, const std::string& text, double up = 0) {
        const SurfacePoint at = axis.at(place), out = axis.outward;
        const double x = picture.x + picture.width / 2 + at.x, y = picture.y + picture.height / 2 + at.y;
        if (!picture.contains(x, y)) return;  // outside the picture, because it is zoomed in
        const double width = painter.text_width(text, size);
        const double beyond = 1.5 * tick + 0.5 * (std::abs(out.x) * width + size);
        painter.line(x, y, x + tick * out.x, y + tick * out.y, color, 1);
        painter.text(x + beyond * out.x - width / 2, y + beyond * out.y - size / 2 - up, size, color, text);
    };
    for (const figure::Tick& mark : axes.x.marks) label(box.x, mark.position, mark.label);
    for (const figure::Tick& mark : axes.y.marks) label(box.y, mark.position, mark.label);
    if (std::abs(box.z.edge.to.y - box.z.edge.from.y) < 2 * size) return;
    const auto [low, high] = std::pair(image->range.low, image->range.high);
    label(box.z, 0, format_in_span(low, high - low), size / 2);  // above the label of the floor's corner
    label(box.z, 1, format_in_span(high, high - low));
}

std::string title_of_target(const FitView& fit, std::size_t target) {
    const fitting::FieldResidual& shown = fit.pictured(target);
    return fit.words.targets.size() > 1 ? fmt::format("Target {}{}", shown.index + 1, shown.when)
                                        : "Target" + shown.when;
}

void draw_title(Painter& painter, const OverlayScene& scene, const PaneSlot& slot, double right) {
    const double size = painter.line_height();
    ScreenRect room = slot.title;
    room.width = std::max(0.0, std::min(room.width, right - room.x));
    std::string text = title_of(slot.pane, scene.snapshot.now);
    const auto& run_b = scene.snapshot.beside.run_b;
    if (slot.pane == Pane::run_b && run_b)
        text = fmt::format("Run B: {} = {}", run_b->parameter, run_b->values.back().value);
    if (slot.pane == Pane::mosaic && scene.snapshot.tiles)
        text = fmt::format("{} runs, step {}", scene.snapshot.tiles->count(), scene.snapshot.tiles->step);
    else if (slot.pane == Pane::fit_target && shows_fit(scene.ui, scene.snapshot))
        text = title_of_target(*scene.snapshot.fit, scene.ui.fit_target);
    else if (slot.pane == main_pane(scene.ui.panes) && !is_of_fit(slot.pane))
        text = with_moment(painter, scene, text, room.width);
    const Painter::Clip clip(painter, room);
    painter.text(slot.title.x, slot.title.y + (slot.title.height - size) / 2, size, scene.colors.text, text);
}

std::optional<CellBlock> numbered_cells(const UiState& ui, FieldSize field, const ResampleRequest& visible) {
    if (!large_enough(ui)) return std::nullopt;
    const int x0 = int(std::clamp(std::floor(visible.area.x0), 0.0, double(field.nx)));
    const int y0 = int(std::clamp(std::floor(visible.area.y0), 0.0, double(field.ny)));
    const int x1 = int(std::clamp(std::ceil(visible.area.x1), 0.0, double(field.nx)));
    const int y1 = int(std::clamp(std::ceil(visible.area.y1), 0.0, double(field.ny)));
    if (x1 <= x0 || y1 <= y0) return std::nullopt;
    return CellBlock{x0, y0, x1 - x0, y1 - y0};
}

double draw_state(Painter& painter, const OverlayScene& scene, const ScreenRect& strip, double waiting) {
    double right = strip.x + strip.width;
    const CanvasColors& colors = scene.colors;
    // On a narrow strip badges have icons without words, leaving room for the title.
    const bool words = strip.width > kWordsFrom * painter.line_height();
    if (!scene.snapshot.busy.empty()) return right;
    if (!scene.snapshot.running)
        right = badge(painter, strip, right, words ? "paused" : ICON_PAUSE, colors.warning);
    if (waiting <= 0) return right;
    const double radius = 2 * scene.ui.scale;
    for (int dot = 0; dot < 3; ++dot) {
        const double brightness = 0.35 + 0.65 * std::max(0.0, std::sin(6 * waiting - 0.9 * dot));
        const double x = right - radius * (1 + 4.0 * (2 - dot));
        painter.disc(x, strip.y + strip.height / 2, radius, faded(colors.faint_text, brightness));
    }
    return right - 12 * radius;
}

ArrowLattice arrows_on(const UiState& ui, FieldSize field, const CellArea& visible) {
    return arrow_lattice(visible, field.nx, field.ny, kApart * ui.scale / ui.view.scale);
}

}  // namespace stencil
