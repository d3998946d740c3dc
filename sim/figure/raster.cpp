#include "sim/figure/raster.h"

#include <cmath>
#include <cstddef>

#include "sim/files/image.h"

namespace stencil::figure {
namespace {

// The table's own arithmetic needs a finite range whose width is finite, too.
std::uint32_t color_of(double value, const Colormap& colors, ValueRange range) {
    if (!std::isfinite(range.high - range.low)) {
        range.low /= 4;
        range.high /= 4;
        value /= 4;
    }
    const bool usable = std::isfinite(range.low) && std::isfinite(range.high);
    const Rgb color = colors.at(usable ? value : std::nan(""), range);
    return std::uint32_t(color.r) << 16 | std::uint32_t(color.g) << 8 | color.b;
}

}  // namespace

Raster field_raster(const Field& field, const Colormap& colors, ValueRange range, int width, int height) {
    Raster raster{width, height, {}};
    // Of differences from one value the mean is exact where all cells are that value; single cells keep
    // theirs to the last bit only as they are.
    const bool averages = field.nx() > width || field.ny() > height;
    const double base = averages && std::isfinite(range.low) ? range.low : 0;
    const Array<double> shown = field.visit(
        [&](const auto& array) { return resample(array, width, height, Growing::nearest, base); });
    raster.pixels.reserve(shown.size());
    for (const double value : shown.cells()) raster.pixels.push_back(color_of(base + value, colors, range));
    return raster;
}

Raster bar_raster(const Colormap& colors, ValueRange range, int width, int height) {
    Raster raster{width, height, {}};
    for (int y = 0; y < height; ++y) {
        const double place = range.low < range.high ? 1 - (y + 0.5) / height : 0;
        const std::uint32_t color = color_of(place, colors, {});
        raster.pixels.insert(raster.pixels.end(), std::size_t(width), color);
    }
    return raster;
}

}  // namespace stencil::figure
