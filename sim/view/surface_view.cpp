#include "sim/view/surface_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {

SurfaceView read_surface_view(std::string_view text) {
    const auto parts = split(text, ',');
    std::vector<double> numbers;
    for (const std::string& part : parts)
        if (const auto number = read_real(part)) numbers.push_back(*number);
    SurfaceView view;
    const bool complete = numbers.size() == parts.size() && parts.size() >= 2 && parts.size() <= 4;
    numbers.resize(4, 1.0);
    if (complete) view = {numbers[0], numbers[1], numbers[2], numbers[3]};
    const bool within = std::abs(view.azimuth) <= 360 && view.elevation >= kLeastElevation &&
                        view.elevation <= 90 && view.zoom >= kLeastSurfaceZoom &&
                        view.zoom <= kMostSurfaceZoom && view.height >= kLeastSurfaceHeight &&
                        view.height <= kMostSurfaceHeight;
    if (!complete || !within)
        throw InputError(Given{"surface", quotable(text)},
                         "must be AZIMUTH,ELEVATION[,ZOOM[,HEIGHT]]: degrees from -360 to 360 and from {} "
                         "to 90, {} to {}, and {} to {}, e.g. -30,40",
                         kLeastElevation,
                         kLeastSurfaceZoom,
                         kMostSurfaceZoom,
                         kLeastSurfaceHeight,
                         kMostSurfaceHeight);
    return view;
}

std::string to_string(const SurfaceView& view) {
    const std::string angles = fmt::format("{},{}", view.azimuth, view.elevation);
    if (view.height != 1) return fmt::format("{},{},{}", angles, view.zoom, view.height);
    return view.zoom == 1 ? angles : fmt::format("{},{}", angles, view.zoom);
}

SurfaceProjection::SurfaceProjection(
    const SurfaceView& view, double nx, double ny, double across, double down) {
    // Share of the picture; the rest is room for the labels of the box.
    constexpr double kFilled = 0.84, kDegree = std::numbers::pi / 180;
    cos_azimuth = std::cos(view.azimuth * kDegree);
    sin_azimuth = std::sin(view.azimuth * kDegree);
    cos_elevation = std::cos(view.elevation * kDegree);
    sin_elevation = std::sin(view.elevation * kDegree);
    const double longer = std::max({nx, ny, 1.0});
    width = nx / longer;
    depth = ny / longer;
    height = kHeight * view.height;
    const double diagonal = std::hypot(width, depth);
    pixels = kFilled * view.zoom *
             std::min(across / diagonal, down / (diagonal * sin_elevation + height * cos_elevation));
}

SurfacePoint SurfaceProjection::at(double across, double down, double up) const {
    const double x = across * width, y = down * depth;
    const double nearer = x * sin_azimuth + y * cos_azimuth;
    return {pixels * (x * cos_azimuth - y * sin_azimuth),
            pixels * (nearer * sin_elevation - up * height * cos_elevation)};
}

SurfaceBox surface_box(const SurfaceProjection& projection) {
    // (x, y) is the corner of the floor nearest to the eye.
    const double x = projection.columns_ascend() ? 0.5 : -0.5, y = projection.rows_ascend() ? 0.5 : -0.5;
    const auto at = [&](double across, double down, double up) { return projection.at(across, down, up); };
    const auto floor = [&](double across, double down) { return at(across, down, -0.5); };
    const auto top = [&](double across, double down) { return at(across, down, 0.5); };
    const auto wall = [&](double across, double down) {
        return SurfaceEdge{floor(across, down), top(across, down)};
    };
    const auto direction = [](SurfacePoint of) {
        const double length = std::hypot(of.x, of.y);
        return length > 0 ? SurfacePoint{of.x / length, of.y / length} : SurfacePoint{0, 1};
    };
    const auto beyond = [&](double across, double down) {
        const SurfacePoint from = at(0, 0, 0), to = at(across, down, 0);
        return direction({to.x - from.x, to.y - from.y});
    };
    const bool left_of = floor(x, -y).x < floor(-x, y).x;
    return {{{{floor(-x, -y), floor(x, -y)},
              {floor(-x, -y), floor(-x, y)},
              {floor(x, y), floor(x, -y)},
              {floor(x, y), floor(-x, y)},
              wall(-x, -y),
              wall(x, -y),
              wall(-x, y),
              {top(-x, -y), top(x, -y)},
              {top(-x, -y), top(-x, y)}}},
            {{floor(-0.5, y), floor(0.5, y)}, beyond(0, y)},
            {{floor(x, -0.5), floor(x, 0.5)}, beyond(x, 0)},
            {left_of ? wall(x, -y) : wall(-x, y), {-1, 0}}};
}

}  // namespace stencil
