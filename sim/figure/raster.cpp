#include "sim/figure/raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "sim/files/image.h"
#include "sim/view/contours.h"

namespace stencil::figure {
namespace {

// Colormap::at() needs a range of finite width, so value and range are scaled down if it is not.
Rgb color_of(double value, const Colormap& colors, ValueRange range) {
    if (!std::isfinite(range.high - range.low)) {
        range.low /= 4;
        range.high /= 4;
        value /= 4;
    }
    const bool usable = std::isfinite(range.low) && std::isfinite(range.high);
    return colors.at(usable ? value : std::nan(""), range);
}

std::uint32_t packed(Rgb color) {
    return std::uint32_t(color.r) << 16 | std::uint32_t(color.g) << 8 | color.b;
}

// `values` are (height, width), relative to `base`. A line's colour, black or white, depends on its level
// only, so it stays the same along the line.
void draw_contours(Raster& raster,
                   const Array<double>& values,
                   double base,
                   const std::vector<double>& contours,
                   const Colormap& colors,
                   const ValueRange& range) {
    const auto reached = [&](int x, int y) {
        return levels_reached(base + values.at(std::min(x, raster.width - 1), std::min(y, raster.height - 1)),
                              contours);
    };
    for (int y = 0; y < raster.height; ++y)
        for (int x = 0; x < raster.width; ++x) {
            const auto [least, most] = std::minmax({reached(x, y), reached(x + 1, y), reached(x, y + 1)});
            if (least == most) continue;
            const bool light = is_light(color_of(contours[std::size_t(least)], colors, range));
            raster.pixels[std::size_t(y) * std::size_t(raster.width) + std::size_t(x)] = light ? 0 : 0xffffff;
        }
}

// --- Surfaces

// Antialiasing: a pixel is the mean of kFiner x kFiner samples.
constexpr int kFiner = 2;

struct Vertex {
    double x = 0, y = 0;  // in samples
    double place = 0;     // position in the colour range; not finite: a hole
    double light = 1;
};

// Direction towards the light, as in surface.vert: behind the viewer's left shoulder, fixed to the viewer.
constexpr std::array<double, 3> kLight{-0.587, 0.342, 0.734};

class Painter {
  public:
    Painter(const Colormap& colors, int width, int height)
        : colors_(colors),
          width_(width),
          height_(height),
          pixels_(std::size_t(width) * std::size_t(height), kPaper) {}

    void triangle(const Vertex& a, const Vertex& b, const Vertex& c) {
        const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (!std::isfinite(a.place + b.place + c.place) || area == 0) return;
        const auto first = [](double low, int most) {
            return int(std::clamp(std::ceil(low - 0.5), 0.0, double(most)));
        };
        const auto [left, right] = std::minmax({a.x, b.x, c.x});
        const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
        for (int y = first(top, height_); y < first(bottom, height_); ++y)
            for (int x = first(left, width_); x < first(right, width_); ++x) {
                const double px = x + 0.5, py = y + 0.5;
                const double of_b = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / area;
                const double of_c = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / area;
                const double of_a = 1 - of_b - of_c;
                if (of_a < 0 || of_b < 0 || of_c < 0) continue;
                pixels_[std::size_t(y) * std::size_t(width_) + std::size_t(x)] =
                    shaded(of_a * a.place + of_b * b.place + of_c * c.place,
                           of_a * a.light + of_b * b.light + of_c * c.light);
            }
    }

    // Draws a line that is a pixel wide.
    void line(const SurfaceEdge& edge) {
        const double dx = edge.to.x - edge.from.x, dy = edge.to.y - edge.from.y;
        const int steps = std::max(1, int(std::ceil(2 * std::max(std::abs(dx), std::abs(dy)))));
        for (int i = 0; i <= steps; ++i) {
            const int x = int(std::floor(edge.from.x + dx * i / steps - 0.5 * (kFiner - 1))),
                      y = int(std::floor(edge.from.y + dy * i / steps - 0.5 * (kFiner - 1)));
            for (int down = std::max(y, 0); down < std::min(y + kFiner, height_); ++down)
                for (int right = std::max(x, 0); right < std::min(x + kFiner, width_); ++right)
                    pixels_[std::size_t(down) * std::size_t(width_) + std::size_t(right)] = kBox;
        }
    }

    Raster averaged() const {
        Raster raster{width_ / kFiner, height_ / kFiner, {}};
        for (int y = 0; y < raster.height; ++y)
            for (int x = 0; x < raster.width; ++x) raster.pixels.push_back(mean(x * kFiner, y * kFiner));
        return raster;
    }

  private:
    static constexpr Rgb kPaper{255, 255, 255}, kBox{150, 150, 150};

    Rgb shaded(double place, double light) const {
        const Rgb color = colors_.colors[std::size_t(std::clamp(int(place * 256), 0, 255))];
        const auto dimmed = [&](int part) { return std::uint8_t(std::lround(std::min(1.0, light) * part)); };
        return {dimmed(color.r), dimmed(color.g), dimmed(color.b)};
    }

    std::uint32_t mean(int x0, int y0) const {
        unsigned r = 0, g = 0, b = 0;
        for (int y = y0; y < y0 + kFiner; ++y)
            for (int x = x0; x < x0 + kFiner; ++x) {
                const Rgb& one = pixels_[std::size_t(y) * std::size_t(width_) + std::size_t(x)];
                r += one.r, g += one.g, b += one.b;
            }
        constexpr unsigned kAll = kFiner * kFiner, kHalf = kAll / 2;
        return (r + kHalf) / kAll << 16 | (g + kHalf) / kAll << 8 | (b + kHalf) / kAll;
    }

    const Colormap& colors_;
    int width_, height_;
    std::vector<Rgb> pixels_;
};

// Returns the points of the surface, row by row.
std::vector<Vertex> vertices_of(const Array<double>& values,
                                const ValueRange& range,
                                const SurfaceProjection& projection,
                                int width,
                                int height) {
    const int nx = values.nx(), ny = values.ny();
    const auto height_at = [&](int x, int y) {
        const double value = values.at(std::clamp(x, 0, nx - 1), std::clamp(y, 0, ny - 1));
        const double place = std::isfinite(value) ? std::clamp(place_of(value, range), 0.0, 1.0) : 0.5;
        return (place - 0.5) * projection.height;
    };
    std::vector<Vertex> vertices;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const double across = ((x + 0.5) / nx - 0.5) * projection.width;
            const double down = ((y + 0.5) / ny - 0.5) * projection.depth;
            const double c = projection.cos_azimuth, s = projection.sin_azimuth;
            const double z = height_at(x, y);
            const double nearer = across * s + down * c;
            const double slope_x = (height_at(x + 1, y) - height_at(x - 1, y)) * nx / (2 * projection.width);
            const double slope_y = (height_at(x, y + 1) - height_at(x, y - 1)) * ny / (2 * projection.depth);
            const double normal_x = -(slope_x * c - slope_y * s), normal_y = -(slope_x * s + slope_y * c);
            const double towards = (kLight[0] * normal_x + kLight[1] * normal_y + kLight[2]) /
                                   std::hypot(normal_x, normal_y, 1.0);
            vertices.push_back(
                {width / 2.0 + kFiner * projection.pixels * (across * c - down * s),
                 height / 2.0 + kFiner * projection.pixels *
                                    (nearer * projection.sin_elevation - z * projection.cos_elevation),
                 std::isfinite(values.at(x, y)) ? std::clamp(place_of(values.at(x, y), range), 0.0, 1.0)
                                                : std::nan(""),
                 0.3 + 0.954 * std::max(towards, 0.0)});
        }
    return vertices;
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
    double last = std::nan("");
    for (const double value : shown.cells()) {  // of few cells many pixels are alike
        const bool again = value == last;
        raster.pixels.push_back(again ? raster.pixels.back() : packed(color_of(base + value, colors, range)));
        last = value;
    }
    if (!contours.empty()) draw_contours(raster, shown, base, contours, colors, range);
    return raster;
}

Raster bar_raster(const Colormap& colors, ValueRange range, int width, int height) {
    Raster raster{width, height, {}};
    for (int y = 0; y < height; ++y) {
        const double place = range.low < range.high ? 1 - (y + 0.5) / height : 0;
        const std::uint32_t color = packed(color_of(place, colors, {}));
        raster.pixels.insert(raster.pixels.end(), std::size_t(width), color);
    }
    return raster;
}

Raster surface_raster(const Field& field,
                      const Colormap& colors,
                      const ValueRange& range,
                      const SurfaceView& view,
                      int width,
                      int height,
                      bool boxed) {
    const int nx = std::min(field.nx(), kSurfacePoints), ny = std::min(field.ny(), kSurfacePoints);
    const Array<double> values =
        field.visit([&](const auto& cells) { return resample(cells, nx, ny, Growing::nearest); });
    const SurfaceProjection projection(view, field.nx(), field.ny(), width, height);
    Painter painter(colors, kFiner * width, kFiner * height);
    const auto in_samples = [&](SurfacePoint point) {
        return SurfacePoint{kFiner * (width / 2.0 + point.x), kFiner * (height / 2.0 + point.y)};
    };
    if (boxed)
        for (const SurfaceEdge& edge : surface_box(projection).edges)
            painter.line({in_samples(edge.from), in_samples(edge.to)});
    const auto vertices = vertices_of(values, range, projection, kFiner * width, kFiner * height);
    const auto vertex = [&](int x, int y) {
        return vertices[std::size_t(y) * std::size_t(nx) + std::size_t(x)];
    };
    for (int i = 0; i + 1 < ny; ++i)
        for (int k = 0; k + 1 < nx; ++k) {
            const int y = projection.rows_ascend() ? i : ny - 2 - i;
            const int x = projection.columns_ascend() ? k : nx - 2 - k;
            painter.triangle(vertex(x, y), vertex(x, y + 1), vertex(x + 1, y));
            painter.triangle(vertex(x + 1, y), vertex(x, y + 1), vertex(x + 1, y + 1));
        }
    return painter.averaged();
}

}  // namespace stencil::figure
