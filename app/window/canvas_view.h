// Where the field lies on the canvas. Arithmetic alone: no ImGui, no OpenGL.
#pragma once

#include <optional>

#include "kernels/resample.h"

namespace stencil {

/// Pixels of the frame buffer, y down.
struct ScreenRect {
    double x = 0, y = 0, width = 0, height = 0;
    bool contains(double px, double py) const {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
    friend bool operator==(const ScreenRect&, const ScreenRect&) = default;
};

struct FieldSize {
    int nx = 1, ny = 1;
};

/// One view for all panes: the same cell is at the same place in each.
struct CanvasView {
    double scale = 1;     ///< pixels per cell
    double x = 0, y = 0;  ///< the cell coordinates at the canvas' top left corner
    bool fitted = true;   ///< follows the canvas and the field so that all of it is seen
};

inline constexpr double kLargestScale = 256;  ///< pixels per cell

/// All of the field, centred, as large as the canvas lets it; the corner is on a whole pixel.
CanvasView fit_view(const ScreenRect& canvas, FieldSize field);

/// One pixel a cell, keeping the canvas' centre; the corner is on a whole cell.
CanvasView one_to_one(const CanvasView& view, const ScreenRect& canvas);

/// By a factor at a point of the canvas, which keeps its cell. Within a pixel for the whole of the largest
/// field and kLargestScale; no further than a tenth of what fits.
CanvasView zoomed(
    const CanvasView& view, const ScreenRect& canvas, FieldSize field, double factor, double px, double py);

/// By so many pixels; some of the field stays on the canvas.
CanvasView panned(const CanvasView& view, const ScreenRect& canvas, FieldSize field, double dx, double dy);

SamplePoint cell_at(const CanvasView& view, const ScreenRect& canvas, double px, double py);

/// Where an area of cells lies on the screen.
ScreenRect place(const CanvasView& view, const ScreenRect& canvas, const CellArea& area);

/// What has to be sampled so that every pixel of the canvas that shows the field has its own value: the area
/// is cut at whole pixels. Empty where nothing of the field is visible. Asking for what `place()` gives back
/// yields exactly the request's width and height.
std::optional<ResampleRequest> visible_part(const CanvasView& view,
                                            const ScreenRect& canvas,
                                            FieldSize field,
                                            bool smooth);

}  // namespace stencil
