#include "app/window/canvas/surface_input.h"

#include <algorithm>
#include <cmath>

namespace stencil {

void SurfaceInput::update(UiState& ui, const PaneSlot& slot, const Mouse& mouse) {
    constexpr double kDegreesPerPixel = 0.4, kZoomPerNotch = 1.2;
    ui.hover.reset();
    const bool inside = mouse.known && mouse.free && slot.picture.contains(mouse.x, mouse.y);
    turning_ = mouse.down[0] && (turning_ || (inside && mouse.pressed[0]));
    SurfaceView& view = ui.surface;
    if (turning_ && !mouse.pressed[0]) {
        // The front of the surface follows the mouse.
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
