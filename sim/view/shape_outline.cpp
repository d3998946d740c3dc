#include "sim/view/shape_outline.h"

namespace stencil {

ShapeOutline shape_outline(const CellArea& area,
                           int columns,
                           int rows,
                           const std::function<bool(int column, int row)>& inside) {
    ShapeOutline outline;
    const auto at = [&](int column, int row) {
        return SamplePoint{area.x0 + (area.x1 - area.x0) * column / columns,
                           area.y0 + (area.y1 - area.y0) * row / rows};
    };
    for (int row = 1; row < rows; ++row)
        for (int column = 0, begin = -1; column <= columns; ++column) {
            const bool edge = column < columns && inside(column, row - 1) != inside(column, row);
            if (edge && begin < 0) begin = column;
            if (edge || begin < 0) continue;
            outline.push_back({at(begin, row), at(column, row)});
            begin = -1;
        }
    for (int column = 1; column < columns; ++column)
        for (int row = 0, begin = -1; row <= rows; ++row) {
            const bool edge = row < rows && inside(column - 1, row) != inside(column, row);
            if (edge && begin < 0) begin = row;
            if (edge || begin < 0) continue;
            outline.push_back({at(column, begin), at(column, row)});
            begin = -1;
        }
    if (outline.size() > kMostStretches) outline.clear();
    return outline;
}

ShapeOutline shape_outline(const Field& inside) {
    return inside.visit([&](const auto& cells) {
        return shape_outline(
            {0, 0, double(cells.nx()), double(cells.ny())}, cells.nx(), cells.ny(), [&](int column, int row) {
                return double(cells.at(column, row)) >= 0.5;
            });
    });
}

}  // namespace stencil
