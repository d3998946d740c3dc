// The brush: what one piece of a stroke does to a cell.
#pragma once

#include "kernels/field/host_device.h"

namespace stencil {

struct Brush {
    double value = 1;
    double radius = 10;  ///< cells, > 0
    bool add = false;    ///< adds the value; else moves the field towards it
    bool soft = false;   ///< the effect falls off smoothly to the rim; else it is whole up to the rim
    friend bool operator==(const Brush&, const Brush&) = default;
};

/// A straight piece of a stroke from (x0, y0) to (x1, y1), in cell coordinates: the centre of cell (i, j) is
/// (i + 0.5, j + 0.5). The first piece of a stroke is a point and `joined` is false; the pieces that follow
/// are joined to the one before, and then what the brush already covered at their starting point is not
/// added to once more.
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

/// The cell (x, y) after the piece, `u` before it.
STENCIL_HOST_DEVICE constexpr double painted(const BrushPiece& piece, int x, int y, double u) {
    const double px = x + 0.5 - piece.x0;
    const double py = y + 0.5 - piece.y0;
    const double dx = piece.x1 - piece.x0;
    const double dy = piece.y1 - piece.y0;
    const double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
    t = t < 0 ? 0 : (t > 1 ? 1 : t);
    const double ex = px - t * dx;
    const double ey = py - t * dy;
    double weight = brush_weight(piece.brush, ex * ex + ey * ey);
    // Where the effect is whole, the value itself: also over a NaN.
    if (!piece.brush.add && weight >= 1) return piece.brush.value;
    if (!piece.brush.add) return weight > 0 ? u + weight * (piece.brush.value - u) : u;
    if (piece.joined) weight -= brush_weight(piece.brush, px * px + py * py);
    return weight > 0 ? u + weight * piece.brush.value : u;
}

}  // namespace stencil
