// From where a field is seen as a surface, whose height is the value: in the window as in pictures.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// By parallel projection, so that what is as large looks as large.
struct SurfaceView {
    double azimuth = -30;   ///< degrees by which the field is turned, clockwise as seen from above
    double elevation = 40;  ///< degrees of the eye above the field's plane; 90: from above
    double zoom = 1;        ///< at 1 all of it is seen, however it is turned
    friend bool operator==(const SurfaceView&, const SurfaceView&) = default;
};

inline constexpr double kLeastElevation = 5, kLeastSurfaceZoom = 0.2, kMostSurfaceZoom = 50;
/// The longer side of a surface has at most so many points.
inline constexpr int kSurfacePoints = 512;

/// "AZIMUTH,ELEVATION" or "AZIMUTH,ELEVATION,ZOOM". Throws InputError.
SurfaceView read_surface_view(std::string_view text);
/// As read_surface_view() takes it.
std::string to_string(const SurfaceView& view);

/// Of lengths in longer sides of the field: x to the right and y towards the eye after turning, z up.
struct SurfaceProjection {
    static constexpr double kHeight = 0.3;  ///< from the low end of the colours to the high one

    double cos_azimuth = 1, sin_azimuth = 0, cos_elevation = 0, sin_elevation = 1;
    double width = 1, depth = 1;  ///< of the field
    double pixels = 1;            ///< that a length of 1 takes

    /// Of a field of nx x ny cells on a picture of this size, in the middle of it.
    SurfaceProjection(const SurfaceView& view, double nx, double ny, double across, double down);

    /// What lies behind comes first where rows, and columns in each, are gone through in this order.
    bool rows_ascend() const { return cos_azimuth >= 0; }
    bool columns_ascend() const { return sin_azimuth >= 0; }
};

}  // namespace stencil
