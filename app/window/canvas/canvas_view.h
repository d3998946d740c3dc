// Where the field is on the canvas. Arithmetic alone: no ImGui, no OpenGL.
#pragma once

#include <optional>

#include "kernels/view/resample.h"

namespace stencil {

/// Pixels of the frame buffer, y down.
struct ScreenRect {
    double x = 0, y = 0, width = 0, height = 0;
    bool contains(double px, double py) const {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
    friend bool operator==(const ScreenRect&, const ScreenRect&) = default;
};

/// What both have in common; of width or height 0 where that is nothing.
ScreenRect intersection(const ScreenRect& a, const ScreenRect& b);

struct FieldSize {
    int nx = 1, ny = 1;
    friend bool operator==(const FieldSize&, const FieldSize&) = default;
};

/// One view for all panes: the same cell is at the same place in each. In what follows the canvas is one
/// pane's picture; its corner and size are whole pixels.
struct CanvasView {
    double scale = 1;     ///< pixels per cell
    double x = 0, y = 0;  ///< the cell coordinates at the canvas' top left corner
    bool fitted = true;   ///< follows the canvas and the field so that all of it is seen
    friend bool operator==(const CanvasView&, const CanvasView&) = default;
};

inline constexpr double kLargestScale = 256;  ///< pixels per cell

/// All of the field, centred, as large as the canvas lets it; the corner is on a whole pixel.
CanvasView fit_view(const ScreenRect& canvas, FieldSize field);

/// One pixel a cell, keeping the canvas' centre; the corner is on a whole cell.
CanvasView one_to_one(const CanvasView& view, const ScreenRect& canvas);

/// The view of a canvas or a field that has changed its size: the same scale, and in its middle the same
/// place of the field, as a share of its width and height; the corner is on a whole pixel.
CanvasView recentred(const CanvasView& view,
                     const ScreenRect& canvas_before,
                     FieldSize field_before,
                     const ScreenRect& canvas,
                     FieldSize field);

/// By a factor at a point of the canvas, which keeps its cell; beyond the field, the field's nearest point
/// stays where it is. The scale ends at kLargestScale and at a tenth of what fits, unless the fit itself or
/// 1 pixel per cell is beyond these.
CanvasView zoomed(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double factor, double px, double py);

/// By this many pixels; some of the field stays on the canvas. By 0, 0 it brings a field back that has left.
CanvasView panned(const CanvasView& view, const ScreenRect& canvas, FieldSize field, double dx, double dy);

/// The cell coordinates at a point of the screen, wherever it lies.
SamplePoint cell_at(const CanvasView& view, const ScreenRect& canvas, double px, double py);

/// What the pixel at a point of the screen shows: the field's point at the pixel's centre, or empty where the
/// pixel is none of the canvas' or shows nothing of the field.
std::optional<SamplePoint> shown_at(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double px, double py);

/// Where an area of cells is on the screen. Ends that are whole pixels but for rounding are whole pixels.
ScreenRect place(const CanvasView& view, const ScreenRect& canvas, const CellArea& area);

/// The pixels that show the field, on the canvas and beyond: those whose centres lie in it, and at least one
/// along each axis, so that a thin field does not vanish.
ScreenRect field_pixels(const CanvasView& view, const ScreenRect& canvas, FieldSize field);

/// What has to be sampled so that every pixel of the canvas that shows the field has its own value: the area
/// is cut at whole pixels. Empty where nothing of the field is visible. Asking for what `place()` gives back
/// yields exactly the request's width and height.
std::optional<ResampleRequest> visible_part(const CanvasView& view,
                                            const ScreenRect& canvas,
                                            FieldSize field,
                                            bool smooth);

}  // namespace stencil
