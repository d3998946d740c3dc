// Painting on a stored state: which cells, and what becomes of each.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/view/brush.h"
#include "kernels/view/quantity_at.h"

namespace stencil {

/// Columns [x, x + nx), rows [y, y + ny) of a field; nx or ny is 0 where there is none.
struct CellBox {
    int x = 0, y = 0, nx = 0, ny = 0;
};

/// The cells that a piece can reach.
inline CellBox reach_of(const BrushPiece& piece, int nx, int ny) {
    struct Cells {
        int begin, count;
    };
    const auto cut = [&](double a, double b, int n) -> Cells {
        const double low = std::floor(std::min(a, b) - piece.brush.radius);
        const double high = std::ceil(std::max(a, b) + piece.brush.radius);
        if (!(low < n && high > 0)) return {0, 0};
        const int begin = low > 0 ? int(low) : 0;
        const int end = high < n ? int(high) : n;
        return {begin, end - begin};
    };
    const Cells columns = cut(piece.x0, piece.x1, nx);
    const Cells rows = cut(piece.y0, piece.y1, ny);
    return {columns.begin, rows.begin, columns.count, rows.count};
}

/// Paints the cell (x, y) of the field state * factor. Where the piece does not change the field, the state
/// keeps every bit.
template <class T>
STENCIL_HOST_DEVICE constexpr void paint_cell(
    const BrushPiece& piece, int x, int y, double factor, T& state) {
    const double before = double(field_value(state, factor));
    const double after = painted(piece, x, y, before);
    const bool same = after == before || (after != after && before != before);
    if (!same) state = T(after / factor);
}

}  // namespace stencil
