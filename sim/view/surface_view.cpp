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
    const bool complete = numbers.size() == parts.size() && (parts.size() == 2 || parts.size() == 3);
    if (complete) view = {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1};
    const bool within = std::abs(view.azimuth) <= 360 && view.elevation >= kLeastElevation &&
                        view.elevation <= 90 && view.zoom >= kLeastSurfaceZoom &&
                        view.zoom <= kMostSurfaceZoom;
    if (!complete || !within)
        throw InputError(
            "--surface {}: must be AZIMUTH,ELEVATION[,ZOOM]: degrees from -360 to 360 and from {} to 90, and "
            "{} to {}, e.g. -30,40",
            quotable(text),
            kLeastElevation,
            kLeastSurfaceZoom,
            kMostSurfaceZoom);
    return view;
}

std::string to_string(const SurfaceView& view) {
    const std::string angles = fmt::format("{},{}", view.azimuth, view.elevation);
    return view.zoom == 1 ? angles : fmt::format("{},{}", angles, view.zoom);
}

SurfaceProjection::SurfaceProjection(
    const SurfaceView& view, double nx, double ny, double across, double down) {
    constexpr double kFilled = 0.96, kDegree = std::numbers::pi / 180;
    cos_azimuth = std::cos(view.azimuth * kDegree);
    sin_azimuth = std::sin(view.azimuth * kDegree);
    cos_elevation = std::cos(view.elevation * kDegree);
    sin_elevation = std::sin(view.elevation * kDegree);
    const double longer = std::max({nx, ny, 1.0});
    width = nx / longer;
    depth = ny / longer;
    const double diagonal = std::hypot(width, depth);
    pixels = kFilled * view.zoom *
             std::min(across / diagonal, down / (diagonal * sin_elevation + kHeight * cos_elevation));
}

}  // namespace stencil
