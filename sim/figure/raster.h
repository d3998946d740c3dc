// Pixels of figures: a field at the resolution shown, flat or as a surface, and a colour bar.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/field/field.h"
#include "sim/view/colormap.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

/// Pixels 0x00RRGGBB, row 0 on top.
struct Raster {
    int width = 0;
    int height = 0;
    std::vector<std::uint32_t> pixels;
};

/// Renders the field at width x height pixels. Along an axis with more cells than pixels, a pixel shows the
/// area-weighted mean of the cells that it covers (NaN if one is NaN); along one with fewer, the nearest
/// cell. Pixels on contours (sim/view/contours.h) are black or white, whichever contrasts.
Raster field_raster(const Field& field,
                    const Colormap& colors,
                    ValueRange range,
                    int width,
                    int height,
                    const std::vector<double>& contours = {});

/// Renders the range from high (top) to low (bottom); an empty range is filled with its value's colour.
Raster bar_raster(const Colormap& colors, ValueRange range, int width, int height);

/// Renders the field as a surface on white, like shaders/surface.vert and lit.frag do in the window, in a box
/// if `boxed`; non-finite values are holes.
Raster surface_raster(const Field& field,
                      const Colormap& colors,
                      const ValueRange& range,
                      const SurfaceView& view,
                      int width,
                      int height,
                      bool boxed = false);

}  // namespace stencil::figure
