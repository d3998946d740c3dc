#include "sim/figure/raster.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sim/files/image.h"
#include "sim/view/contours.h"

namespace stencil::figure {
namespace {

// The table needs a range of finite width.
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

// `values` are (height, width), relative to `base`.
void draw_contours(Raster& raster,
                   const Array<double>& values,
                   double base,
                   const std::vector<double>& contours) {
    const auto reached = [&](int x, int y) {
        return levels_reached(base + values.at(std::min(x, raster.width - 1), std::min(y, raster.height - 1)),
                              contours);
    };
    for (int y = 0; y < raster.height; ++y)
        for (int x = 0; x < raster.width; ++x) {
            const int here = reached(x, y);
            if (here == reached(x + 1, y) && here == reached(x, y + 1)) continue;
            std::uint32_t& pixel = raster.pixels[std::size_t(y) * std::size_t(raster.width) + std::size_t(x)];
            const double luminance =
                0.2126 * (pixel >> 16) + 0.7152 * (pixel >> 8 & 255) + 0.0722 * (pixel & 255);
            pixel = luminance > 127.5 ? 0 : 0xffffff;
        }
}

}  // namespace

Raster field_raster(const Field& field,
                    const Colormap& colors,
                    ValueRange range,
                    int width,
                    int height,
                    const std::vector<double>& contours) {
    Raster raster{width, height, {}};
    // Averaging differences from one value is exact if all cells have that value; unaveraged cells keep their
    // exact values only with base 0.
    const bool averages = field.nx() > width || field.ny() > height;
    const double base = averages && std::isfinite(range.low) ? range.low : 0;
    const Array<double> shown = field.visit(
        [&](const auto& array) { return resample(array, width, height, Growing::nearest, base); });
    raster.pixels.reserve(shown.size());
    for (const double value : shown.cells()) raster.pixels.push_back(color_of(base + value, colors, range));
    if (!contours.empty()) draw_contours(raster, shown, base, contours);
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
