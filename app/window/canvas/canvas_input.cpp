#include "app/window/canvas/canvas_input.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/format.h"

namespace stencil {
namespace {

constexpr int kLeft = 0, kRight = 1, kMiddle = 2;
constexpr double kZoomPerNotch = 1.2;
constexpr double kRadiusPerNotch = 1.15;

// How close the mouse must be to grab something, and how far it must move to begin a line: pixels at scale 1.
constexpr double kReach = 10;
constexpr double kMeant = 3;

double to_sixteenth(double cells) {
    return std::round(cells * 16) / 16;
}

/// Returns where the brush paints. A brush smaller than a cell snaps to the centre of the cell under the
/// mouse; otherwise it might reach no cell centre and paint nothing.
SamplePoint brush_point(const CanvasView& view,
                        const ScreenRect& picture,
                        const Brush& brush,
                        const Mouse& mouse) {
    const SamplePoint at = cell_at(view, picture, std::floor(mouse.x) + 0.5, std::floor(mouse.y) + 0.5);
    if (brush.radius < 0.75) return {std::floor(at.x) + 0.5, std::floor(at.y) + 0.5};
    return {to_sixteenth(at.x), to_sixteenth(at.y)};
}

/// Returns whether the stroke segment touches the field; for a line only the end points are tested.
bool reaches(const BrushPiece& piece, FieldSize field) {
    if (piece.brush.shape == BrushShape::rectangle)
        return piece.x0 < field.nx && piece.x1 > 0 && piece.y0 < field.ny && piece.y1 > 0;
    const auto covers = [&](double x, double y) {
        const double dx = x - std::clamp(x, 0.0, double(field.nx));
        const double dy = y - std::clamp(y, 0.0, double(field.ny));
        if (piece.brush.shape == BrushShape::fill) return dx == 0 && dy == 0 && x < field.nx && y < field.ny;
        return brush_distance2(piece.brush.shape, dx, dy) < piece.brush.radius * piece.brush.radius;
    };
    return covers(piece.x0, piece.y0) || covers(piece.x1, piece.y1);
}

/// Returns the rectangle of whole cells spanned by the cells of two points.
BrushPiece rectangle(const Brush& brush, SamplePoint a, SamplePoint b) {
    return {brush,
            std::floor(std::min(a.x, b.x)),
            std::floor(std::min(a.y, b.y)),
            std::floor(std::max(a.x, b.x)) + 1,
            std::floor(std::max(a.y, b.y)) + 1,
            false};
}

constexpr const char* kNothingThere = "Outside the field";

double distance(const UiState& ui, const ScreenRect& picture, SamplePoint cell, const Mouse& mouse) {
    const ScreenRect at = place(ui.view, picture, {cell.x, cell.y, cell.x, cell.y});
    return std::hypot(at.x - mouse.x, at.y - mouse.y);
}

/// Returns the index of the nearest probe within reach, or -1.
int probe_near(const UiState& ui, const CanvasScene& scene, const ScreenRect& picture, const Mouse& mouse) {
    int nearest = -1;
    double least = kReach * ui.scale;
    for (std::size_t i = 0; i < scene.probes.size(); ++i) {
        const ProbeSeries& probe = scene.probes[i];
        const double away = distance(ui, picture, {probe.x + 0.5, probe.y + 0.5}, mouse);
        if (away > least) continue;
        least = away;
        nearest = int(i);
    }
    return nearest;
}

/// An end point of a profile's line.
struct Handle {
    std::size_t line = 0;
    bool from = false;
    double away = 0;  ///< distance from the mouse in pixels
};

/// Returns the nearest handle, or nothing if there is no line.
std::optional<Handle> nearest_handle(const UiState& ui, const ScreenRect& picture, const Mouse& mouse) {
    std::optional<Handle> nearest;
    for (std::size_t i = 0; i < ui.profiles.size(); ++i)
        for (const bool from : {true, false}) {
            const SamplePoint& end = from ? ui.profiles[i].from : ui.profiles[i].to;
            const double away = distance(ui, picture, end, mouse);
            if (!nearest || away < nearest->away) nearest = Handle{i, from, away};
        }
    return nearest;
}

/// Returns the nearest handle if it is within reach.
std::optional<Handle> handle_near(const UiState& ui, const ScreenRect& picture, const Mouse& mouse) {
    const auto nearest = nearest_handle(ui, picture, mouse);
    return nearest && nearest->away <= kReach * ui.scale ? nearest : std::nullopt;
}

/// Rotates the line's end `moving` to the nearest multiple of 45 degrees about `fixed`.
SamplePoint snapped(SamplePoint fixed, SamplePoint moving) {
    const double dx = moving.x - fixed.x;
    const double dy = moving.y - fixed.y;
    // tan(22.5 degrees): half way between an axis and the diagonal.
    const double half = std::sqrt(2.0) - 1;
    if (std::abs(dy) <= half * std::abs(dx)) return {moving.x, fixed.y};
    if (std::abs(dx) <= half * std::abs(dy)) return {fixed.x, moving.y};
    const double along = (std::abs(dx) + std::abs(dy)) / 2;
    return {fixed.x + std::copysign(along, dx), fixed.y + std::copysign(along, dy)};
}

/// Clips the line from `fixed`, which lies in the field, at the field's edge.
SamplePoint cut_at_edge(SamplePoint fixed, SamplePoint moving, FieldSize field) {
    double share = 1;
    const auto cut = [&](double from, double to, double size) {
        if (to < 0) share = std::min(share, from / (from - to));
        if (to > size) share = std::min(share, (size - from) / (to - from));
    };
    cut(fixed.x, moving.x, field.nx);
    cut(fixed.y, moving.y, field.ny);
    return {std::clamp(fixed.x + share * (moving.x - fixed.x), 0.0, double(field.nx)),
            std::clamp(fixed.y + share * (moving.y - fixed.y), 0.0, double(field.ny))};
}

}  // namespace

Mouse read_mouse() {
    const ImGuiIO& io = ImGui::GetIO();
    Mouse mouse;
    mouse.known = ImGui::IsMousePosValid(&io.MousePos);
    mouse.x = mouse.known ? double(io.MousePos.x) * io.DisplayFramebufferScale.x : 0;
    mouse.y = mouse.known ? double(io.MousePos.y) * io.DisplayFramebufferScale.y : 0;
    mouse.free = !io.WantCaptureMouse;
    mouse.wheel = io.MouseWheel;
    for (int button = kLeft; button <= kMiddle; ++button) {
        mouse.down[std::size_t(button)] = io.MouseDown[button];
        mouse.pressed[std::size_t(button)] = io.MouseClicked[button];
    }
    mouse.middle_twice = io.MouseDoubleClicked[kMiddle];
    mouse.ctrl = io.KeyCtrl;
    mouse.alt = io.KeyAlt;
    mouse.shift = io.KeyShift;
    return mouse;
}

Brush stroke_brush(const UiState& ui, bool erases) {
    Brush brush = ui.preferences.brush;
    if (brush.shape == BrushShape::fill) brush.radius = ui.preferences.fill_tolerance;
    if (brush.shape == BrushShape::fill || brush.shape == BrushShape::rectangle) brush.soft = false;
    if (!erases && !ui.erases) return brush;
    brush.value = 0;
    brush.add = false;
    return brush;
}

void CanvasInput::update(UiState& ui, const CanvasScene& scene, const Mouse& mouse) {
    mouse_ = mouse;
    selected_.reset();
    // Motion after the button was released does not belong to the drag.
    if (dragging() && !mouse.down[std::size_t(drag_.button)]) {
        selected_ = selecting();
        end_stroke(ui, scene);
        drag_.kind = Drag::Kind::none;
    }
    if (mouse.known) {
        if (dragging())
            go_on(ui, scene);
        else if (mouse.free)
            press(ui, scene);
        if (mouse.free) wheel(ui, scene);
    }
    look(ui, scene);
}

void CanvasInput::wheel(UiState& ui, const CanvasScene& scene) {
    const PaneSlot* slot = slot_at(scene.slots, mouse_.x, mouse_.y);
    if (!slot || mouse_.wheel == 0) return;
    if (mouse_.ctrl) {
        const double most = std::max({kMinBrushRadius, double(scene.field.nx), double(scene.field.ny)});
        const double radius = ui.preferences.brush.radius * std::pow(kRadiusPerNotch, mouse_.wheel);
        ui.preferences.brush.radius =
            std::clamp(rounded_to(std::max(radius, kMinBrushRadius), radius), kMinBrushRadius, most);
        return;
    }
    const double factor = std::pow(kZoomPerNotch, mouse_.wheel);
    ui.view = zoomed(ui.view, slot->picture, scene.field, factor, mouse_.x, mouse_.y);
}

void CanvasInput::begin(Drag::Kind kind, int button, const PaneSlot& slot) {
    drag_ = {kind, button, slot.pane, slot.picture, mouse_.x, mouse_.y};
}

void CanvasInput::press(UiState& ui, const CanvasScene& scene) {
    const PaneSlot* slot = slot_at(scene.slots, mouse_.x, mouse_.y);
    if (!slot) return;
    if (mouse_.pressed[kMiddle]) {
        if (mouse_.middle_twice)
            ui.view.fitted = true;
        else
            begin(Drag::Kind::pan, kMiddle, *slot);
    } else if (mouse_.pressed[kLeft] &&
               (mouse_.alt || ui.tool == Tool::pan || scene.left == CanvasScene::LeftButton::pan)) {
        begin(Drag::Kind::pan, kLeft, *slot);
    } else if (ui.tool == Tool::pan || scene.left == CanvasScene::LeftButton::pan) {
        return;
    } else if (scene.left == CanvasScene::LeftButton::select) {
        const auto cell = shown_at(ui.view, slot->picture, scene.field, mouse_.x, mouse_.y);
        if (!mouse_.pressed[kLeft] || !cell) return;
        begin(Drag::Kind::select, kLeft, *slot);
        drag_.from = drag_.cell = *cell;
    } else if (mouse_.pressed[kLeft] || mouse_.pressed[kRight]) {
        press_tool(ui, scene, *slot);
    }
}

void CanvasInput::press_tool(UiState& ui, const CanvasScene& scene, const PaneSlot& slot) {
    const int button = mouse_.pressed[kLeft] ? kLeft : kRight;
    if (ui.tool == Tool::paint) {
        press_brush(ui, scene, slot);
    } else if (ui.tool == Tool::pick) {
        ui.picks = shown_at(ui.view, slot.picture, scene.field, mouse_.x, mouse_.y);
        if (!ui.picks) ui.say("Outside the field there is no value");
    } else if (ui.tool == Tool::probe) {
        const int near = probe_near(ui, scene, slot.picture, mouse_);
        const auto cell = shown_at(ui.view, slot.picture, scene.field, mouse_.x, mouse_.y);
        if (button == kRight && near >= 0) ui.act(action::RemoveProbe{near});
        const auto is_there = [&](const ProbeSeries& probe) {
            return probe.x == int(cell->x) && probe.y == int(cell->y);
        };
        if (button == kLeft && cell && std::ranges::none_of(scene.probes, is_there)) {
            ui.act(action::AddProbe{int(cell->x), int(cell->y)});
            ui.say("Its plot is in Measure, and beside the field with key 3");
        }
    } else if (button == kRight) {
        if (const auto nearest = nearest_handle(ui, slot.picture, mouse_))
            ui.profiles.erase(ui.profiles.begin() + std::ptrdiff_t(nearest->line));
    } else {
        begin(Drag::Kind::profile, kLeft, slot);
        press_profile(ui, scene);
    }
}

void CanvasInput::press_brush(UiState& ui, const CanvasScene& scene, const PaneSlot& slot) {
    if (slot.pane == Pane::start) return ui.say("This pane shows the start: paint on the field");
    const int button = mouse_.pressed[kLeft] ? kLeft : kRight;
    begin(Drag::Kind::stroke, button, slot);
    drag_.brush = stroke_brush(ui, button == kRight);
    const BrushShape shape = drag_.brush.shape;
    drag_.waits = shape == BrushShape::rectangle || (ui.preferences.straight && shape != BrushShape::fill);
    drag_.from = brush_point(ui.view, drag_.picture, drag_.brush, mouse_);
    stroke_to(ui, scene);
    if (!drag_.waits && !drag_.joined) ui.say(kNothingThere);
}

void CanvasInput::press_profile(UiState& ui, const CanvasScene& scene) {
    if (const auto handle = handle_near(ui, drag_.picture, mouse_)) {
        const ProfileLine& line = ui.profiles[handle->line];
        drag_.line = handle->line;
        drag_.moves_from = handle->from;
        drag_.cell = handle->from ? line.to : line.from;
        return;
    }
    const SamplePoint at = cell_at(ui.view, drag_.picture, mouse_.x, mouse_.y);
    drag_.cell = {to_sixteenth(std::clamp(at.x, 0.0, double(scene.field.nx))),
                  to_sixteenth(std::clamp(at.y, 0.0, double(scene.field.ny)))};
}

void CanvasInput::go_on(UiState& ui, const CanvasScene& scene) {
    if (drag_.kind == Drag::Kind::stroke) stroke_to(ui, scene);
    if (drag_.kind == Drag::Kind::profile) profile_to(ui, scene);
    if (drag_.kind == Drag::Kind::select) {
        const SamplePoint at = cell_at(ui.view, drag_.picture, mouse_.x, mouse_.y);
        drag_.cell = {std::clamp(at.x, 0.0, scene.field.nx - 0.5),
                      std::clamp(at.y, 0.0, scene.field.ny - 0.5)};
    }
    if (drag_.kind != Drag::Kind::pan) return;
    // Pan by whole pixels, so that the field stays aligned with them.
    const double dx = std::round(mouse_.x - drag_.x);
    const double dy = std::round(mouse_.y - drag_.y);
    ui.view = panned(ui.view, drag_.picture, scene.field, dx, dy);
    drag_.x += dx;
    drag_.y += dy;
}

void CanvasInput::stroke_to(UiState& ui, const CanvasScene& scene) {
    const SamplePoint to = brush_point(ui.view, drag_.picture, drag_.brush, mouse_);
    if (drag_.waits) {
        drag_.cell = mouse_.shift ? snapped(drag_.from, to) : to;
        return;
    }
    const bool once = drag_.brush.shape == BrushShape::fill;
    if (drag_.joined && (once || to == drag_.cell)) return;
    const SamplePoint from = drag_.joined ? drag_.cell : to;
    drag_.cell = to;
    const BrushPiece piece{drag_.brush, from.x, from.y, to.x, to.y, drag_.joined};
    if (!reaches(piece, scene.field)) return;  // outside the field there is nothing to edit
    ui.act(action::Paint{piece, component_of(drag_.pane)});
    drag_.joined = true;
}

std::optional<Selection> CanvasInput::selecting() const {
    if (drag_.kind != Drag::Kind::select) return std::nullopt;
    return Selection{drag_.from, drag_.cell};
}

std::optional<BrushPiece> CanvasInput::pending() const {
    if (drag_.kind != Drag::Kind::stroke || !drag_.waits) return std::nullopt;
    const SamplePoint &from = drag_.from, &to = drag_.cell;
    if (drag_.brush.shape == BrushShape::rectangle) return rectangle(drag_.brush, from, to);
    return BrushPiece{drag_.brush, from.x, from.y, to.x, to.y, true};
}

void CanvasInput::end_stroke(UiState& ui, const CanvasScene& scene) {
    const auto piece = pending();
    if (!piece) return;
    if (!reaches(*piece, scene.field)) return ui.say(kNothingThere);
    const auto component = component_of(drag_.pane);
    const SamplePoint& from = drag_.from;
    if (piece->joined)
        ui.act(action::Paint{{piece->brush, from.x, from.y, from.x, from.y, false}, component});
    if (!piece->joined || drag_.cell != from) ui.act(action::Paint{*piece, component});
}

void CanvasInput::profile_to(UiState& ui, const CanvasScene& scene) {
    if (std::hypot(mouse_.x - drag_.x, mouse_.y - drag_.y) >= kMeant * ui.scale) drag_.far = true;
    if (!drag_.far) return;
    SamplePoint end = cell_at(ui.view, drag_.picture, mouse_.x, mouse_.y);
    end = {to_sixteenth(end.x), to_sixteenth(end.y)};
    if (mouse_.shift) end = snapped(drag_.cell, end);
    end = cut_at_edge(drag_.cell, end, scene.field);
    if (!drag_.line) {
        if (ui.profiles.size() == kMostProfiles) ui.profiles.erase(ui.profiles.begin());
        drag_.line = ui.profiles.size();
        ui.profiles.emplace_back();
    }
    if (*drag_.line < ui.profiles.size())
        ui.profiles[*drag_.line] =
            drag_.moves_from ? ProfileLine{end, drag_.cell} : ProfileLine{drag_.cell, end};
}

void CanvasInput::look(UiState& ui, const CanvasScene& scene) {
    ui.hover.reset();
    brush_at_.reset();
    at_handle_ = false;
    if (!mouse_.known || !(mouse_.free || dragging())) return;
    const PaneSlot* slot = slot_at(scene.slots, mouse_.x, mouse_.y);
    if (slot) ui.hover = shown_at(ui.view, slot->picture, scene.field, mouse_.x, mouse_.y);
    if (slot && ui.tool == Tool::profile) at_handle_ = handle_near(ui, slot->picture, mouse_).has_value();
    if (drag_.kind == Drag::Kind::stroke)
        brush_at_ = drag_.cell;
    else if (slot && !dragging() && scene.left == CanvasScene::LeftButton::tool && ui.tool == Tool::paint &&
             slot->pane != Pane::start)
        brush_at_ = brush_point(ui.view, slot->picture, stroke_brush(ui, false), mouse_);
    // Draw no ring beside the field, where a click paints nothing.
    if (brush_at_ && drag_.kind != Drag::Kind::stroke &&
        ui.preferences.brush.shape != BrushShape::rectangle &&
        !reaches({ui.preferences.brush, brush_at_->x, brush_at_->y, brush_at_->x, brush_at_->y}, scene.field))
        brush_at_.reset();
}

void SurfaceInput::update(UiState& ui, const PaneSlot& slot, const Mouse& mouse) {
    constexpr double kDegreesPerPixel = 0.4, kZoomPerNotch = 1.2;
    ui.hover.reset();
    const bool inside = mouse.known && mouse.free && slot.picture.contains(mouse.x, mouse.y);
    turning_ = mouse.down[0] && (turning_ || (inside && mouse.pressed[0]));
    SurfaceView& view = ui.surface;
    if (turning_ && !mouse.pressed[0]) {
        // The near side of the surface follows the mouse.
        const double degrees = kDegreesPerPixel / std::max(1e-3, double(ui.scale));
        view.azimuth = std::remainder(view.azimuth - degrees * (mouse.x - x_), 360);
        view.elevation = std::clamp(view.elevation + degrees * (mouse.y - y_), kLeastElevation, 90.0);
    }
    x_ = mouse.x;
    y_ = mouse.y;
    if (!inside) return;
    if (mouse.wheel != 0)
        view.zoom =
            std::clamp(view.zoom * std::pow(kZoomPerNotch, mouse.wheel), kLeastSurfaceZoom, kMostSurfaceZoom);
    if (mouse.pressed[2] && mouse.middle_twice) view = {};
}

}  // namespace stencil
