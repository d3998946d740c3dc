// Viewpoint of a surface plot, in which height is the value; used by window and pictures.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace stencil {

/// A parallel projection, so that sizes are comparable everywhere.
struct SurfaceView {
    double azimuth = -30;   ///< degrees by which the field is rotated, clockwise as seen from above
    double elevation = 40;  ///< degrees of the eye above the plane of the field; 90: from above
    double zoom = 1;        ///< at 1 the whole field is visible at any rotation
    double height = 1;      ///< factor for the height of the colour range
    friend bool operator==(const SurfaceView&, const SurfaceView&) = default;
};

inline constexpr double kLeastElevation = 5, kLeastSurfaceZoom = 0.2, kMostSurfaceZoom = 50;
inline constexpr double kLeastSurfaceHeight = 0.1, kMostSurfaceHeight = 5;
/// The largest number of points along a surface's longer side.
inline constexpr int kSurfacePoints = 512;

/// Parses "AZIMUTH,ELEVATION[,ZOOM[,HEIGHT]]". Throws InputError.
SurfaceView read_surface_view(std::string_view text);
/// Formats it for read_surface_view().
std::string to_string(const SurfaceView& view);

/// A point of a picture in pixels from its centre, y downwards.
struct SurfacePoint {
    double x = 0, y = 0;
};

/// Lengths are relative to the field's longer side: after rotation x right, y towards the eye, z up.
struct SurfaceProjection {
    static constexpr double kHeight = 0.3;  ///< height of the colour range, times SurfaceView::height

    double cos_azimuth = 1, sin_azimuth = 0, cos_elevation = 0, sin_elevation = 1;
    double width = 1, depth = 1;  ///< of the field
    double height = kHeight;      ///< of the colour range
    double pixels = 1;            ///< per unit of length

    /// Centres a field of nx x ny cells on a picture of across x down pixels.
    SurfaceProjection(const SurfaceView& view, double nx, double ny, double across, double down);

    /// Projects a point of the box around the surface, whose coordinates are from -0.5 to 0.5: along the
    /// columns, along the rows, and upwards.
    SurfacePoint at(double across, double down, double up) const;

    /// Orders of rows and columns in which drawing proceeds from back to front.
    bool rows_ascend() const { return cos_azimuth >= 0; }
    bool columns_ascend() const { return sin_azimuth >= 0; }
};

struct SurfaceEdge {
    SurfacePoint from, to;
};

/// An edge of the box with marks: columns and rows from low to high, values upwards.
struct SurfaceAxis {
    SurfaceEdge edge;
    SurfacePoint outward;  ///< unit vector from the edge towards its labels

    SurfacePoint at(double share) const {
        return {edge.from.x + share * (edge.to.x - edge.from.x),
                edge.from.y + share * (edge.to.y - edge.from.y)};
    }
};

/// The box around a surface: floor, back walls and their sides. The surface may hide any of them.
struct SurfaceBox {
    std::array<SurfaceEdge, 9> edges;
    SurfaceAxis x, y, z;
};
SurfaceBox surface_box(const SurfaceProjection& projection);

}  // namespace stencil
