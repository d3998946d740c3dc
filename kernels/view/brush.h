// The effect of one segment of a brush stroke on a cell.
#pragma once

#include "kernels/field/host_device.h"

namespace stencil {

/// The set of cells that a segment covers.
enum class BrushShape {
    round,      ///< within the radius of a line segment
    square,     ///< within the radius in the maximum norm
    rectangle,  ///< cells whose centres lie between two corners
    fill,       ///< flood fill: a cell and all similar cells connected to it (flood_fill.h)
};

struct Brush {
    double value = 1;
    double radius = 10;  ///< cells, > 0; for a fill, the tolerance around the first cell's value
    bool add = false;    ///< adds the value; otherwise blends the field towards it
    bool soft = false;   ///< the effect falls off smoothly to the edge; otherwise it is constant
    BrushShape shape = BrushShape::round;
    friend bool operator==(const Brush&, const Brush&) = default;
};

/// A straight segment of a stroke from (x0, y0) to (x1, y1) in cell coordinates: the centre of cell (i, j) is
/// (i + 0.5, j + 0.5). The first segment of a stroke is a point with `joined` false. For the others, an
/// adding brush subtracts what it already added around their starting point. A rectangle with corners (x0,
/// y0) and (x1, y1), and a fill from the cell of (x0, y0), are strokes of one segment.
struct BrushPiece {
    Brush brush;
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool joined = false;
    friend bool operator==(const BrushPiece&, const BrushPiece&) = default;
};

/// The strength of the brush at a squared distance from its centre, 0 to 1.
STENCIL_HOST_DEVICE constexpr double brush_weight(const Brush& brush, double distance2) {
    const double t = distance2 / (brush.radius * brush.radius);
    if (t >= 1) return 0;
    return brush.soft ? (1 - t) * (1 - t) : 1;
}

/// The squared distance of (x, y) from the origin, in the norm of the brush's shape.
STENCIL_HOST_DEVICE constexpr double brush_distance2(BrushShape shape, double x, double y) {
    if (shape != BrushShape::square) return x * x + y * y;
    const double across = x < 0 ? -x : x, down = y < 0 ? -y : y;
    return across > down ? across * across : down * down;
}

/// The squared distance of (x, y) from the line segment between the origin and (dx, dy).
STENCIL_HOST_DEVICE constexpr double brush_distance2(
    BrushShape shape, double x, double y, double dx, double dy) {
    const auto at = [&](double t) {
        t = t < 0 ? 0 : (t > 1 ? 1 : t);
        return brush_distance2(shape, x - t * dx, y - t * dy);
    };
    if (shape != BrushShape::square) {
        const double length2 = dx * dx + dy * dy;
        return at(length2 > 0 ? (x * dx + y * dy) / length2 : 0);
    }
    // max(|x - t dx|, |y - t dy|) is minimal where the two are equal, or at an end.
    double least = at(0);
    const auto take = [&](double distance2) { least = distance2 < least ? distance2 : least; };
    take(at(1));
    if (dx != dy) take(at((x - y) / (dx - dy)));
    if (dx != -dy) take(at((x + y) / (dx + dy)));
    return least;
}

/// Whether the centre of cell (x, y) lies inside a rectangle.
STENCIL_HOST_DEVICE constexpr bool is_between(const BrushPiece& piece, int x, int y) {
    const bool across = (x + 0.5 > piece.x0) != (x + 0.5 > piece.x1);
    return across && (y + 0.5 > piece.y0) != (y + 0.5 > piece.y1);
}

/// The value of cell (x, y) after the segment (not a fill); `u` is the value before it.
STENCIL_HOST_DEVICE constexpr double painted(const BrushPiece& piece, int x, int y, double u) {
    const double px = x + 0.5 - piece.x0;
    const double py = y + 0.5 - piece.y0;
    const double dx = piece.x1 - piece.x0;
    const double dy = piece.y1 - piece.y0;
    const BrushShape shape = piece.brush.shape;
    const bool box = shape == BrushShape::rectangle;
    double weight = box ? (is_between(piece, x, y) ? 1 : 0)
                        : brush_weight(piece.brush, brush_distance2(shape, px, py, dx, dy));
    // At full strength the value is assigned, not blended, so that it also replaces a NaN.
    if (!piece.brush.add && weight >= 1) return piece.brush.value;
    if (!piece.brush.add) return weight > 0 ? u + weight * (piece.brush.value - u) : u;
    if (piece.joined) weight -= brush_weight(piece.brush, brush_distance2(shape, px, py));
    return weight > 0 ? u + weight * piece.brush.value : u;
}

}  // namespace stencil
