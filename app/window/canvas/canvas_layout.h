// Where the panes lie on the canvas.
#pragma once

#include <span>
#include <vector>

#include "app/window/canvas/canvas_view.h"
#include "sim/session/snapshot.h"
#include "sim/session/view.h"

namespace stencil {

struct PaneSlot {
    Pane pane = Pane::now;
    ScreenRect title;      ///< above the picture
    ScreenRect picture;    ///< what CanvasView takes for its canvas: 1x1 or larger
    ScreenRect color_bar;  ///< below it; of height 0 where the area is too low for it
    bool x_axis = false;   ///< there is room for coordinates between these two
    bool y_axis = false;   ///< and at the left of the picture
};

/// Side by side, or in rows where a fitted field is larger so, with equal pictures, all on whole pixels.
/// `line` is the height of a line of text in pixels, from which the margins follow. With `axes` there is room
/// for coordinates: below each picture, and at the left of those in the first column.
std::vector<PaneSlot> lay_out(
    std::span<const Pane> panes, const ScreenRect& area, double line, FieldSize field, bool axes = false);

/// Of slots that are laid out, the one in the canvas' upper right corner.
const PaneSlot& top_right(std::span<const PaneSlot> slots);

/// The slot with its title and colour bar moved to where they are next to `shown`, the part of its picture
/// that shows the field. They stay within the slot, begin where the field does, and as far as the slot allows
/// the bar is `least` pixels wide and the title has room for as many.
PaneSlot captioned(const PaneSlot& slot, const ScreenRect& shown, double least);

/// The pane whose quantity the numbers under the cursor, the profile and the histogram are of: the field as
/// it is where it is shown, else the first one. ViewRequest::panes begins with it.
Pane main_pane(std::span<const Pane> panes);

/// The slot whose picture holds the point; null where none does.
const PaneSlot* slot_at(std::span<const PaneSlot> slots, double px, double py);

/// Null where the frame has none.
const PaneImage* image_of(const Snapshot& snapshot, Pane pane);

}  // namespace stencil
