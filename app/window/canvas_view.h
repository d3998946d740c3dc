// Pan and zoom of the field on the canvas. Pure arithmetic, without ImGui and OpenGL.
#pragma once

#include <optional>

#include "kernels/view/resample.h"

namespace stencil {

/// A rectangle in pixels of the frame buffer, y down.
struct ScreenRect {
    double x = 0, y = 0, width = 0, height = 0;
    bool contains(double px, double py) const {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
    friend bool operator==(const ScreenRect&, const ScreenRect&) = default;
};

/// Returns the intersection; of width or height 0 if empty.
ScreenRect intersection(const ScreenRect& a, const ScreenRect& b);

struct FieldSize {
    int nx = 1, ny = 1;
    friend bool operator==(const FieldSize&, const FieldSize&) = default;
};

/// Pan and zoom, shared by all panes. Below, the canvas means one pane's picture, on whole pixels.
struct CanvasView {
    double scale = 1;     ///< pixels per cell
    double x = 0, y = 0;  ///< cell coordinates of the canvas' top left corner
    bool fitted = true;   ///< keeps the whole field visible when canvas or field change
    friend bool operator==(const CanvasView&, const CanvasView&) = default;
};

inline constexpr double kLargestScale = 256;  ///< pixels per cell

/// Shows the whole field, centred and as large as fits; its corner is on a whole pixel.
CanvasView fit_view(const ScreenRect& canvas, FieldSize field);

/// Shows one pixel per cell about the canvas' centre; the corner is on a whole cell.
CanvasView one_to_one(const CanvasView& view, const ScreenRect& canvas);

/// Adapts the view to a new size of the canvas or the field. The scale and the relative position at the
/// canvas' centre are kept; the corner is on a whole pixel.
CanvasView recentred(const CanvasView& view,
                     const ScreenRect& canvas_before,
                     FieldSize field_before,
                     const ScreenRect& canvas,
                     FieldSize field);

/// Zooms by a factor about a point of the canvas; outside the field, about the field's nearest point. The
/// scale stays between a tenth of the fit and kLargestScale, unless the fit or 1 pixel per cell lies beyond
/// these.
CanvasView zoomed(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double factor, double px, double py);

/// Pans by pixels, keeping some of the field on the canvas. By 0, 0 it brings back a lost field.
CanvasView panned(const CanvasView& view, const ScreenRect& canvas, FieldSize field, double dx, double dy);

/// Returns the cell coordinates at a point of the screen, in the field or not.
SamplePoint cell_at(const CanvasView& view, const ScreenRect& canvas, double px, double py);

/// Returns the field's point at the pixel's centre, or nothing if the pixel shows none of the field.
std::optional<SamplePoint> shown_at(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double px, double py);

/// Returns where an area of cells is on the screen; rounding errors at whole pixels are removed.
ScreenRect place(const CanvasView& view, const ScreenRect& canvas, const CellArea& area);

/// Returns the pixels whose centres lie in the field, on or off the canvas; at least one along each axis, so
/// that a thin field does not vanish.
ScreenRect field_pixels(const CanvasView& view, const ScreenRect& canvas, FieldSize field);

/// Returns the area and resolution to sample so that each visible pixel of the field gets its own value; the
/// area is cut at whole pixels. Empty if nothing is visible. place() of the area gives exactly the request's
/// width and height.
std::optional<ResampleRequest> visible_part(const CanvasView& view,
                                            const ScreenRect& canvas,
                                            FieldSize field,
                                            bool smooth);

}  // namespace stencil
