// Painting a field: the cells that a segment reaches, and the update of each.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/field/plain_view.h"
#include "kernels/view/brush.h"

namespace stencil {

/// Columns [x, x + nx) and rows [y, y + ny) of a field; empty if nx or ny is 0.
struct CellBox {
    int x = 0, y = 0, nx = 0, ny = 0;
};

/// The cells connected to (x, y) across sides that differ from it by at most `tolerance`; if it is not
/// finite, those that are not finite either. Disjoint boxes in a deterministic order; none if (x, y) lies
/// outside of the field.
template <class T>
std::vector<CellBox> flood_fill(FieldView<const T> cells, int x, int y, double tolerance);

/// The bounding box of a segment (not a fill) within rows [first_row, first_row + ny), relative to first_row.
inline CellBox reach_of(const BrushPiece& piece, int nx, int ny, int first_row) {
    struct Cells {
        int begin, count;
    };
    const double beyond = piece.brush.shape == BrushShape::rectangle ? 0 : piece.brush.radius;
    const auto cut = [&](double a, double b, int n, int first) -> Cells {
        const double low = std::floor(std::min(a, b) - beyond) - first;
        const double high = std::ceil(std::max(a, b) + beyond) - first;
        if (!(low < n && high > 0)) return {0, 0};
        const int begin = low > 0 ? int(low) : 0;
        const int end = high < n ? int(high) : n;
        return {begin, end - begin};
    };
    const Cells columns = cut(piece.x0, piece.x1, nx, 0);
    const Cells rows = cut(piece.y0, piece.y1, ny, first_row);
    return {columns.begin, rows.begin, columns.count, rows.count};
}

/// Paints cell (x, y) of rows that start at row `first_row` of the field. An unchanged value is not written:
/// storing it scaled could change its bits.
template <class T>
STENCIL_HOST_DEVICE constexpr void paint_cell(
    const BrushPiece& piece, int x, int y, const PlainView<T>& field, int first_row) {
    const double before = double(field.at(x, y));
    const double after = painted(piece, x, first_row + y, before);
    const bool same = after == before || (after != after && before != before);
    if (!same) field.set(x, y, after);
}

}  // namespace stencil
