#include "app/window/canvas/canvas.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/canvas/canvas_overlay.h"
#include "app/window/canvas/rimmed_overlay.h"
#include "app/window/format.h"
#include "app/window/other_runs.h"
#include "sim/problem/spread.h"
#include "sim/session/tile_colors.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr int kHistogramBins = 96;
constexpr double kWaitsUnseen = 0.3;  // seconds
// Once the engine has been silent for this many seconds, the wait is no longer animated.
constexpr double kWaitsLively = 10;
constexpr double kNarrowestPlots = 15;  // in lines of text: room for the plots' buttons
constexpr double kBetweenBars = 0.7;    // in lines of text
constexpr double kMinCaption = 14;      // in lines of text: the least width of a title and a colour bar

/// Uses the present settings, because the newest frame may still have the size before a change.
FieldSize field_of(const UiState& ui, const Snapshot& snapshot) {
    if (is_mosaic(ui) && snapshot.tiles) return {snapshot.tiles->size().nx, snapshot.tiles->size().ny};
    const auto& size = shows_fit(ui, snapshot) ? snapshot.fit->run.size : snapshot.now.size;
    if (size) return {size->nx, size->ny};
    if (snapshot.frame) return {std::max(1, snapshot.frame->nx), std::max(1, snapshot.frame->ny)};
    return {Size{}.nx, Size{}.ny};
}

/// Returns the view adapted to a new size of the canvas or the field.
CanvasView settled(const CanvasView& view, const ScreenRect& picture, FieldSize field) {
    return view.fitted ? fit_view(picture, field) : panned(view, picture, field, 0, 0);
}

std::vector<PaneDrawing> drawings_of(const UiState& ui,
                                     const Snapshot& snapshot,
                                     const CanvasColors& colors,
                                     std::span<const PaneSlot> slots) {
    const std::optional<Rgb> box = ui.preferences.axes ? std::optional(rgb_of(colors.outline)) : std::nullopt;
    std::vector<PaneDrawing> drawings;
    for (const PaneSlot& slot : slots)
        if (const PaneImage* image = image_of(snapshot, slot.pane))
            drawings.push_back({image,
                                shows_cells(slot.pane)
                                    ? place(ui.view, slot.picture, image->request.resample.area)
                                    : slot.picture,
                                slot.picture,
                                slot.pane == Pane::surface ? &ui.surface : nullptr,
                                slot.pane == Pane::surface ? box : std::nullopt});
    return drawings;
}

// Returns what the colours mean that frame tiles with pictures; empty: they have no frames.
std::optional<PaneImage> frame_colors(const Snapshot& snapshot, const PaneImage& image) {
    if (image.request.pane != Pane::mosaic || !snapshot.tiles) return std::nullopt;
    const MosaicTiles& tiles = *snapshot.tiles;
    if (tiles.color.empty() || image.formula == tiles.color) return std::nullopt;
    PaneImage frames;
    frames.colormap = number_colormap(image.colormap);
    frames.label = tiles.color;
    frames.range = tiles.observed_range;
    return frames;
}

CanvasScene::LeftButton left_button(const UiState& ui) {
    if (is_mosaic(ui)) return CanvasScene::LeftButton::select;
    return is_of_fit(ui.panes.front()) ? CanvasScene::LeftButton::pan : CanvasScene::LeftButton::tool;
}

// Returns the visible cells and one more on each side, because contours run between cell centres.
ResampleRequest whole_cells(const CellArea& seen, FieldSize field) {
    const CellArea cells{std::max(std::floor(seen.x0) - 1, 0.0),
                         std::max(std::floor(seen.y0) - 1, 0.0),
                         std::min(std::ceil(seen.x1) + 1, double(field.nx)),
                         std::min(std::ceil(seen.y1) + 1, double(field.ny))};
    return {cells, int(cells.x1 - cells.x0), int(cells.y1 - cells.y0), false};
}

ResampleRequest whole_field(FieldSize field, int columns, int rows) {
    return {{0, 0, double(field.nx), double(field.ny)}, columns, rows, false};
}

// Returns the whole field, as large as the edges of a surface's box are on the screen.
ResampleRequest surface_edges(const UiState& ui, FieldSize field) {
    const SurfaceBox box =
        surface_box(SurfaceProjection(ui.surface, field.nx, field.ny, ui.picture.width, ui.picture.height));
    const auto length = [](const SurfaceEdge& edge) {
        return int(std::hypot(edge.to.x - edge.from.x, edge.to.y - edge.from.y));
    };
    return whole_field(field, length(box.x.edge), length(box.y.edge));
}

std::optional<AxisScale> spread_scale(const std::optional<figure::FigureScale>& along) {
    return along ? std::optional(AxisScale{along->name, along->first, along->last}) : std::nullopt;
}

// A row of tiles has nothing along y.
std::optional<AxisScale> sweep_scale(const SweepSpec& sweep, std::size_t axis) {
    AxisScale scale{"", 0, 0, {""}};
    if (axis >= sweep.vary.size()) return scale;
    scale.name = sweep.vary[axis].name;
    scale.labels = sweep.vary[axis].values;
    if (axis == 1) std::ranges::reverse(scale.labels);  // from the top
    for (std::string& label : scale.labels)
        if (const auto number = read_real(label)) label = figure::number_text(*number, 4);
    return scale;
}

// Returns the picture of the middle row over time, a sample a pixel, or a cell if these are wider.
ResampleRequest rows_on(const UiState& ui, FieldSize field) {
    const int cells = field.nx == 1 ? field.ny : field.nx;
    return whole_field(
        field, std::max(1, std::min(cells, int(ui.picture.width))), std::max(1, int(ui.picture.height)));
}

// Takes the value under the eyedropper from the frame that was requested for it.
void take_picked(UiState& ui, const Snapshot& snapshot) {
    const auto& frame = snapshot.frame;
    if (!ui.picks || !frame || frame->hover != ui.picks) return;
    ui.picks.reset();
    if (!std::isfinite(frame->hover_value)) return ui.say("There is no value here to paint with");
    ui.preferences.brush.value = frame->hover_value;
    ui.tool = Tool::paint;
    ui.say(fmt::format("The brush paints {}", format_value(ui.preferences.brush.value)));
}

}  // namespace

CanvasOutput Canvas::update(UiState& ui, const Snapshot& snapshot, const CanvasFrame& frame) {
    take_picked(ui, snapshot);
    const double line = Painter().line_height();
    const FieldSize field = field_of(ui, snapshot);
    lay_out_panes(ui, snapshot, frame.area, line);
    if (slots_.empty()) return {};
    keep_centre(ui, field);

    ui.view = settled(ui.view, ui.picture, field);
    if (shows(ui, Pane::surface))
        surface_input_.update(ui, slots_.front(), read_mouse());
    else if (shows(ui, Pane::xt))
        ui.hover.reset();
    else
        input_.update(ui, {slots_, field, snapshot.probes, left_button(ui)}, read_mouse());
    if (is_mosaic(ui)) take_selected_tiles(ui, snapshot);
    ui.view = settled(ui.view, ui.picture, field);
    const bool pans = ui.tool == Tool::pan || left_button(ui) == CanvasScene::LeftButton::pan;
    if (input_.panning() || (pans && ui.hover)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    if (input_.at_handle()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);

    mark_axes(ui, snapshot, field, line);
    CanvasOutput output;
    output.request = request_for(ui, snapshot, field);
    output.drawings = drawings_of(ui, snapshot, frame.colors, slots_);
    const double waited = waiting(snapshot, output.request, frame.seconds);
    output.moves = (waiting_since_ && waited < kWaitsLively) || !snapshot.busy.empty();
    draw(ui, snapshot, frame, waited);
    if (const auto run = tile_at(ui, snapshot); run && !input_.selecting())
        ImGui::SetTooltip("%s", snapshot.tiles->text(*run).c_str());
    return output;
}

// A click on a tile goes on with its run; a rectangle of several refines the sweep.
void Canvas::take_selected_tiles(UiState& ui, const Snapshot& snapshot) const {
    const auto& chosen = input_.selected();
    if (!chosen || !snapshot.tiles) return;
    const MosaicTiles& tiles = *snapshot.tiles;
    const std::size_t first = tiles.at(chosen->from), last = tiles.at(chosen->to);
    if (first == last) {
        ui.act(action::OpenTile{first});
        if (!tiles.failed(first)) ui.panes = {Pane::now};
        return;
    }
    SweepSpec sweep = *tiles.sweep;
    for (std::size_t axis = 0; axis < sweep.vary.size(); ++axis) {
        const auto ends = std::minmax({sweep.place(first, axis), sweep.place(last, axis)});
        sweep.vary[axis] = refined(sweep.vary[axis], ends.first, ends.second);
    }
    show_sweep(ui, snapshot, std::move(sweep));
}

// In three-up view a fourth pane holds plots, if there are profiles or probes.
void Canvas::lay_out_panes(UiState& ui, const Snapshot& snapshot, const ScreenRect& area, double line) {
    const bool plots = ui.panes == three_up() && (!ui.profiles.empty() || !snapshot.probes.empty());
    std::vector<Pane> places = ui.panes;
    if (plots) places.push_back(Pane::now);
    slots_ = lay_out(places, area, line, field_of(ui, snapshot), ui.preferences.axes);
    ui.plots = {};
    if (!plots) return;
    if (slots_.back().picture.width < kNarrowestPlots * line) {
        slots_ = lay_out(ui.panes, area, line, field_of(ui, snapshot), ui.preferences.axes);
        return;
    }
    const PaneSlot& last = slots_.back();
    ui.plots = last.title;
    // The last pane reaches to the canvas' right edge.
    const ScreenRect& corner = top_right(slots_).title;
    ui.plots.width = corner.x + corner.width - last.title.x;
    ui.plots.height = last.color_bar.y + last.color_bar.height - last.title.y;
    slots_.pop_back();
}

void Canvas::keep_centre(UiState& ui, FieldSize field) {
    const ScreenRect before = std::exchange(ui.picture, slots_.front().picture);
    const FieldSize field_before = std::exchange(field_, field);
    const bool same = before.width == ui.picture.width && before.height == ui.picture.height;
    if (ui.view.fitted || field_before.nx == 0 || (same && field_before == field)) return;
    ui.view = recentred(ui.view, before, field_before, ui.picture, field);
}

// All panes share the axes, which are remade only if the visible part changed.
void Canvas::mark_axes(const UiState& ui, const Snapshot& snapshot, FieldSize field, double line) {
    if (shows(ui, Pane::xt)) {
        axes_ =
            axes_over_time(whole_field(field, int(ui.picture.width), int(ui.picture.height)), line, snapshot);
        return;
    }
    AxisScales scales{spread_scale(snapshot.axes.along_x), spread_scale(snapshot.axes.along_y)};
    if (is_mosaic(ui) && snapshot.tiles)
        scales = {sweep_scale(*snapshot.tiles->sweep, 0), sweep_scale(*snapshot.tiles->sweep, 1)};
    const auto visible = shows(ui, Pane::surface) ? std::optional(surface_edges(ui, field))
                                                  : visible_part(ui.view, ui.picture, field, false);
    if (!visible)
        axes_ = {};
    else if (axes_.of != *visible || axes_.line != line || axes_.cells != snapshot.axes ||
             axes_.field != field || axes_.scales != scales)
        axes_ = axes_over(*visible, line, snapshot.axes, field, scales);
}

ViewRequest Canvas::request_for(const UiState& ui, const Snapshot& snapshot, FieldSize field) const {
    ViewRequest request;
    request.surface = ui.surface;
    request.fit_target = ui.fit_target;
    const auto visible = visible_part(ui.view, ui.picture, field, ui.preferences.smooth);
    if (is_mosaic(ui)) {
        if (visible) request.panes.push_back({Pane::mosaic, *visible});
        return request;
    }
    if (shows(ui, Pane::xt)) {
        request.panes.push_back({Pane::xt, rows_on(ui, field)});
    } else if (shows(ui, Pane::surface)) {
        // No more points than the picture has pixels.
        const auto points = [](int cells, double pixels) {
            return std::min({cells, kSurfacePoints, std::max(2, int(pixels))});
        };
        request.panes.push_back(
            {Pane::surface,
             whole_field(field, points(field.nx, ui.picture.width), points(field.ny, ui.picture.height))});
    } else if (visible) {
        if (!snapshot.now.drawn_arrows().empty()) request.arrows = arrows_on(ui, field, visible->area);
        const bool between = !snapshot.now.contours.empty() && !ui.preferences.smooth && ui.view.scale > 1;
        const ResampleRequest sampled = between ? whole_cells(visible->area, field) : *visible;
        // Zoomed in, the outline follows the faces of cells, so it needs whole cells; otherwise a sample per
        // pixel is enough.
        if (snapshot.now.draws_outline())
            request.outline = ui.view.scale > 1 ? whole_cells(visible->area, field)
                                                : *visible_part(ui.view, ui.picture, field, false);
        const Pane main = main_pane(ui.panes);
        request.panes.push_back({main, sampled});
        for (const Pane pane : ui.panes)
            if (pane != main) request.panes.push_back({pane, sampled});
        request.numbers = numbered_cells(ui, field, *visible);
    }
    request.host_pixels = !ui.transfer.interop;
    request.hover = ui.picks ? ui.picks : ui.hover;
    request.profiles = ui.profiles;
    request.histogram_bins = ui.wants_histogram ? kHistogramBins : 0;
    request.spectrum = ui.wants_spectrum;
    if (!ui.wants_plane) return request;
    request.plane.emplace();
    for (const ProbeSeries& probe : snapshot.probes) request.plane->push_back({probe.x + 0.5, probe.y + 0.5});
    return request;
}

/// Returns for how many seconds the picture has been out of date; 0 while that is too short to notice.
double Canvas::waiting(const Snapshot& snapshot, const ViewRequest& request, double seconds) {
    const auto answers = [](const PaneImage& image, const PaneRequest& asked) {
        return image.request == asked;
    };
    if (snapshot.frame && std::ranges::equal(snapshot.frame->panes, request.panes, answers)) {
        waiting_since_.reset();
        return 0;
    }
    if (!waiting_since_) waiting_since_ = seconds;
    const double waited = seconds - *waiting_since_;
    return waited > kWaitsUnseen ? waited : 0;
}

void Canvas::draw(UiState& ui, const Snapshot& snapshot, const CanvasFrame& frame, double waited) const {
    Painter painter;
    const OverlayScene scene{ui,
                             snapshot,
                             frame.colors,
                             field_of(ui, snapshot),
                             axes_,
                             input_.brush_at(),
                             input_.brush(ui),
                             input_.pending(),
                             input_.selecting()};
    const PaneSlot& corner = top_right(slots_);
    ui.corner = corner.title;
    ScreenRect top = corner.title;
    top.width = std::max(0.0, top.width - ui.corner_taken);
    const double state_begins = draw_state(painter, scene, top, waited);
    ui.color_bars.clear();
    for (const PaneSlot& slot : slots_) {
        const bool flat = shows_cells(slot.pane);
        if (slot.pane == Pane::mosaic)
            draw_over_tiles(painter, scene, slot);
        else if (is_of_fit(slot.pane))
            draw_outline_and_axes(painter, scene, slot);
        else if (flat)
            draw_over_field(painter, scene, slot);
        const ScreenRect shown =
            flat ? intersection(field_pixels(ui.view, slot.picture, scene.field), slot.picture)
                 : slot.picture;
        const PaneSlot at = captioned(slot, shown, kMinCaption * painter.line_height());
        const bool beside_state = &slot == &corner && at.title.y < top.y + top.height;
        draw_title(painter, scene, at, beside_state ? state_begins : frame.area.x + frame.area.width);
        if (slot.pane == Pane::surface) draw_around_surface(painter, scene, slot);
        if (slot.pane == Pane::xt) draw_around_rows(painter, scene, slot);
        const PaneImage* image = image_of(snapshot, slot.pane);
        if (!image) continue;
        ScreenRect strip = at.color_bar;
        if (const auto frames = frame_colors(snapshot, *image)) {
            const double gap = kBetweenBars * painter.line_height();
            ScreenRect left = strip;
            left.width = strip.width = std::floor((strip.width - gap) / 2);
            strip.x += left.width + gap;
            draw_color_bar(painter, frame.colors, left, *frames);
        }
        ui.color_bars.push_back({slot.pane, draw_color_bar(painter, frame.colors, strip, *image)});
    }
}

}  // namespace stencil
