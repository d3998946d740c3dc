// The pictures inside a figure: a field at the resolution at which it is shown, and a colour bar.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/field/field.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

/// Pixels as 0x00RRGGBB, row 0 on top.
struct Raster {
    int width = 0;
    int height = 0;
    std::vector<std::uint32_t> pixels;
};

/// The field at width x height pixels. Along an axis with more cells than pixels a pixel has the colour of
/// the mean value of the cells that it covers, each weighted by how much of it is covered (a NaN among them
/// makes it a NaN); along one with fewer it has that of the nearest cell. Pixels on contours
/// (sim/view/contours.h) are black or white, whichever stands out.
Raster field_raster(const Field& field,
                    const Colormap& colors,
                    ValueRange range,
                    int width,
                    int height,
                    const std::vector<double>& contours = {});

/// The range from high (top) to low (bottom); of an empty one the colour that its value has.
Raster bar_raster(const Colormap& colors, ValueRange range, int width, int height);

}  // namespace stencil::figure
