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
    // Joins the faces along each of the lines between two rows, or columns, of samples.
    const auto add = [&](int lines, int faces, const auto& differs, const auto& end) {
        for (int line = 1; line < lines; ++line)
            for (int face = 0, begin = -1; face <= faces; ++face) {
                const bool edge = face < faces && differs(line, face);
                if (edge && begin < 0) begin = face;
                if (edge || begin < 0) continue;
                outline.push_back({end(line, begin), end(line, face)});
                begin = -1;
            }
    };
    add(
        rows,
        columns,
        [&](int row, int column) { return inside(column, row - 1) != inside(column, row); },
        [&](int row, int column) { return at(column, row); });
    add(
        columns,
        rows,
        [&](int column, int row) { return inside(column - 1, row) != inside(column, row); },
        [&](int column, int row) { return at(column, row); });
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
