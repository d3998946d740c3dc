#include "sim/figure/raster.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stencil::figure {
namespace {

/// The cells that one pixel covers along an axis: first..last, of which those between the two count in full.
struct Cover {
    int first = 0;
    int last = 0;
    double first_weight = 1;
    double inner_weight = 0;
    double last_weight = 0;

    double weight(int cell) const {
        return cell == first ? first_weight : cell == last ? last_weight : inner_weight;
    }
};

std::vector<Cover> covers(long long cells, long long pixels) {
    std::vector<Cover> all(static_cast<std::size_t>(pixels));
    for (long long i = 0; i < pixels; ++i) {
        Cover& cover = all[std::size_t(i)];
        if (cells <= pixels) {
            cover.first = cover.last = int((2 * i + 1) * cells / (2 * pixels));
            continue;
        }
        // In units of which a cell has `pixels` and a pixel has `cells`, so that the borders are whole
        // numbers and no cell is listed with a weight of zero (zero times NaN is NaN).
        const long long begin = i * cells, end = begin + cells;
        cover.first = int(begin / pixels);
        cover.last = int((end - 1) / pixels);
        cover.first_weight = double((cover.first + 1) * pixels - begin) / double(cells);
        cover.inner_weight = double(pixels) / double(cells);
        cover.last_weight = double(end - cover.last * pixels) / double(cells);
    }
    return all;
}

// Sums differences to `base`: where all cells equal it, so does their mean, to the last bit.
template <class T>
void add_row(
    const T* cells, const std::vector<Cover>& columns, double row_weight, double base, double* sums) {
    for (const Cover& c : columns) {
        double sum = (double(cells[c.first]) - base) * c.first_weight;
        if (c.last > c.first) {
            double inner = 0;
            for (int x = c.first + 1; x < c.last; ++x) inner += (double(cells[x]) - base) * c.inner_weight;
            sum += inner + (double(cells[c.last]) - base) * c.last_weight;
        }
        *sums++ += sum * row_weight;
    }
}

// The table's own arithmetic needs a finite range whose width is finite, too.
std::uint32_t color_of(double value, const Colormap& colors, ValueRange range) {
    if (!std::isfinite(range.high - range.low)) {
        range = {range.low / 4, range.high / 4};
        value /= 4;
    }
    const bool usable = std::isfinite(range.low) && std::isfinite(range.high);
    const Rgb color = usable ? colors.at(value, range.low, range.high) : colors.at(std::nan(""), 0, 1);
    return std::uint32_t(color.r) << 16 | std::uint32_t(color.g) << 8 | color.b;
}

}  // namespace

Raster field_raster(const Field& field, const Colormap& colors, ValueRange range, int width, int height) {
    Raster raster{width, height, {}};
    raster.pixels.reserve(std::size_t(width) * std::size_t(height));
    const std::vector<Cover> columns = covers(field.nx(), width);
    // Single cells keep their value to the last bit only with a base of zero.
    const bool averages = field.nx() > width || field.ny() > height;
    const double base = averages && std::isfinite(range.low) ? range.low : 0;
    std::vector<double> sums(columns.size());
    field.visit([&](const auto& array) {
        for (const Cover& row : covers(field.ny(), height)) {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (int y = row.first; y <= row.last; ++y)
                add_row(
                    array.data() + std::size_t(y) * array.nx(), columns, row.weight(y), base, sums.data());
            for (const double sum : sums) raster.pixels.push_back(color_of(base + sum, colors, range));
        }
    });
    return raster;
}

Raster bar_raster(const Colormap& colors, ValueRange range, int width, int height) {
    Raster raster{width, height, {}};
    for (int y = 0; y < height; ++y) {
        const double value = std::lerp(range.low, range.high, 1 - (y + 0.5) / height);
        const std::uint32_t color = color_of(value, colors, range);
        raster.pixels.insert(raster.pixels.end(), std::size_t(width), color);
    }
    return raster;
}

}  // namespace stencil::figure
