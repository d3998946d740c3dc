// Renders a field as a surface on the CPU, like shaders/surface.vert and lit.frag do in the window.
#pragma once

#include "sim/figure/raster.h"
#include "sim/view/surface_view.h"

namespace stencil::figure {

/// Renders on white; non-finite values are holes.
Raster surface_raster(const Field& field,
                      const Colormap& colors,
                      const ValueRange& range,
                      const SurfaceView& view,
                      int width,
                      int height);

}  // namespace stencil::figure
