// The brush: what one piece of a stroke does to a cell.
#pragma once

#include "kernels/field/host_device.h"

namespace stencil {

/// What a piece of a stroke covers.
enum class BrushShape {
    round,      ///< within the radius of a straight line
    square,     ///< within it across and down, of any point of the line
    rectangle,  ///< cells whose centres are between two corners
    fill,       ///< a cell, and what is joined to it by cells like it (flood_fill.h)
};

struct Brush {
    double value = 1;
    double radius = 10;  ///< cells, > 0; of a fill how far from the first cell's value those of others may be
    bool add = false;    ///< adds the value; else moves the field towards it
    bool soft = false;   ///< the effect falls off smoothly to the rim; else it is whole up to the rim
    BrushShape shape = BrushShape::round;
    friend bool operator==(const Brush&, const Brush&) = default;
};

/// A straight piece of a stroke from (x0, y0) to (x1, y1), in cell coordinates: the centre of cell (i, j) is
/// (i + 0.5, j + 0.5). The first piece of a stroke is a point and `joined` is false; the pieces that follow
/// are joined to the one before, and then what the brush already covered at their starting point is not
/// added to once more. A rectangle is a stroke by itself, with its corners in (x0, y0) and (x1, y1), and so
/// is a fill, from the cell of (x0, y0).
struct BrushPiece {
    Brush brush;
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool joined = false;
};

/// The share of the brush's effect at a squared distance from its centre, 0 to 1.
STENCIL_HOST_DEVICE constexpr double brush_weight(const Brush& brush, double distance2) {
    const double t = distance2 / (brush.radius * brush.radius);
    if (t >= 1) return 0;
    return brush.soft ? (1 - t) * (1 - t) : 1;
}

/// How far (x, y) is from the line's start, squared, as the brush's shape measures it.
STENCIL_HOST_DEVICE constexpr double brush_distance2(BrushShape shape, double x, double y) {
    if (shape != BrushShape::square) return x * x + y * y;
    const double across = x < 0 ? -x : x, down = y < 0 ? -y : y;
    return across > down ? across * across : down * down;
}

/// The same from the nearest point of the line from there to (dx, dy).
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
    // The larger of |x - t dx| and |y - t dy| is least where they are equal, or at an end.
    double least = at(0);
    const auto take = [&](double distance2) { least = distance2 < least ? distance2 : least; };
    take(at(1));
    if (dx != dy) take(at((x - y) / (dx - dy)));
    if (dx != -dy) take(at((x + y) / (dx + dy)));
    return least;
}

/// Whether the centre of the cell (x, y) is between the corners of a rectangle.
STENCIL_HOST_DEVICE constexpr bool is_between(const BrushPiece& piece, int x, int y) {
    const bool across = (x + 0.5 > piece.x0) != (x + 0.5 > piece.x1);
    return across && (y + 0.5 > piece.y0) != (y + 0.5 > piece.y1);
}

/// The cell (x, y) after the piece, which is no fill; `u` before it.
STENCIL_HOST_DEVICE constexpr double painted(const BrushPiece& piece, int x, int y, double u) {
    const double px = x + 0.5 - piece.x0;
    const double py = y + 0.5 - piece.y0;
    const double dx = piece.x1 - piece.x0;
    const double dy = piece.y1 - piece.y0;
    const BrushShape shape = piece.brush.shape;
    const bool box = shape == BrushShape::rectangle;
    double weight = box ? (is_between(piece, x, y) ? 1 : 0)
                        : brush_weight(piece.brush, brush_distance2(shape, px, py, dx, dy));
    // Where the effect is whole, the value itself: also over a NaN.
    if (!piece.brush.add && weight >= 1) return piece.brush.value;
    if (!piece.brush.add) return weight > 0 ? u + weight * (piece.brush.value - u) : u;
    if (piece.joined) weight -= brush_weight(piece.brush, brush_distance2(shape, px, py));
    return weight > 0 ? u + weight * piece.brush.value : u;
}

}  // namespace stencil
