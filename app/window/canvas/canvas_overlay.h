// What is drawn over the field and around it.
#pragma once

#include <optional>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/canvas/canvas_painter.h"
#include "app/window/theme.h"
#include "app/window/ui_state.h"
#include "sim/figure/ticks.h"
#include "sim/run/units.h"

namespace stencil {

/// The coordinates along the field's visible part, in cells or, where lengths have a unit, in that.
struct FieldAxes {
    ResampleRequest of;
    double line = 0;  ///< height of a line of text in pixels
    Unit cell;        ///< its edge
    figure::Ticks x, y;
};

/// With as many labels as find room beside `visible`; needs ImGui's font.
FieldAxes axes_over(const ResampleRequest& visible, double line, const Unit& cell = {});

/// All that the overlays of one frame are made from.
struct OverlayScene {
    const UiState& ui;
    const Snapshot& snapshot;
    const CanvasColors& colors;
    FieldSize field;
    const FieldAxes& axes;
    std::optional<SamplePoint> brush_at;  ///< of a brush that is over the canvas
    Brush brush;                          ///< with which its outline is drawn
    std::optional<BrushPiece> pending;    ///< a line or rectangle that is being drawn
};

/// Above the field, not beyond `right`.
void draw_title(Painter& painter, const OverlayScene& scene, const PaneSlot& slot, double right);

/// Around the field, as far as its edges are in the picture.
void draw_field_outline(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// Ticks with the coordinates of cells at the picture's left and lower edge, where the slot has room for
/// them.
void draw_axes(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// Between cells that are large enough.
void draw_grid(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// The cells whose numbers a picture shows; empty where the cells are too small for numbers or these are off.
std::optional<CellBlock> numbered_cells(const UiState& ui, FieldSize field, const ResampleRequest& visible);

/// Those that the newest frame holds, over the pane that they are of.
void draw_numbers(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// Profile, probes, and the brush or, in the other panes, the cursor.
void draw_tools(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

inline constexpr double kBadgeShare = 0.1;  ///< of the colour of a sign in what is behind it

/// Whether it is paused or recording, at the right of the strip; and, where `waiting` (seconds) > 0, that the
/// picture is not yet the one that was asked for. Returns where on the left it begins.
double draw_state(Painter& painter, const OverlayScene& scene, const ScreenRect& strip, double waiting);

}  // namespace stencil
