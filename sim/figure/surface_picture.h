// A field as a surface, drawn by the processor as shaders/surface.vert and lit.frag draw it in the window.
#pragma once

#include "sim/figure/raster.h"
#include "sim/view/surface_view.h"

namespace stencil::figure {

/// On white. Where a value is not finite there is a hole.
Raster surface_raster(const Field& field,
                      const Colormap& colors,
                      const ValueRange& range,
                      const SurfaceView& view,
                      int width,
                      int height);

}  // namespace stencil::figure
