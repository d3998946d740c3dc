// Layout of the panes on the canvas.
#pragma once

#include <span>
#include <vector>

#include "app/window/canvas_view.h"
#include "sim/session/snapshot.h"
#include "sim/session/view.h"

namespace stencil {

struct PaneSlot {
    Pane pane = Pane::now;
    ScreenRect title;      ///< above the picture
    ScreenRect picture;    ///< the canvas of CanvasView; at least 1x1
    ScreenRect color_bar;  ///< below it; of height 0 if the area is too low
    bool x_axis = false;   ///< whether coordinates fit below the picture
    bool y_axis = false;   ///< whether coordinates fit at its left
};

/// Arranges equal panes side by side, or in rows if a fitted field becomes larger that way; all edges are
/// whole pixels. `line` is the height of a line of text in pixels, which sets the margins. With `axes`, room
/// for coordinates is left below each picture and at the left of the first column.
std::vector<PaneSlot> lay_out(
    std::span<const Pane> panes, const ScreenRect& area, double line, FieldSize field, bool axes = false);

/// Returns the slot in the canvas' upper right corner.
const PaneSlot& top_right(std::span<const PaneSlot> slots);

/// Moves the slot's title and colour bar next to `shown`, the part of the picture that shows the field. Both
/// stay within the slot and, if it allows, get at least `least` pixels of width.
PaneSlot captioned(const PaneSlot& slot, const ScreenRect& shown, double least);

/// Returns the pane that the cursor's numbers, profiles and histogram refer to: the present field if shown,
/// else the first pane. It comes first in ViewRequest::panes.
Pane main_pane(std::span<const Pane> panes);

/// Returns the slot whose picture contains the point, or null.
const PaneSlot* slot_at(std::span<const PaneSlot> slots, double px, double py);

/// Returns the pane's image, or null if the frame has none.
const PaneImage* image_of(const Snapshot& snapshot, Pane pane);

}  // namespace stencil
