#include "sim/user_kernel/places.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::user_kernel {

Where where_are(const std::vector<Place>& cells, const Shape& s) {
    const auto all = [&](auto&& holds) { return std::ranges::all_of(cells, holds); };
    const bool wide = s.nx > 2, high = s.ny > 2;
    const int rest_x = s.nx % s.tile_x, rest_y = s.ny % s.tile_y;
    if (cells.size() == std::size_t(s.nx) * std::size_t(s.ny)) return Where::all;
    if (wide && all([&](Place p) { return p.x == s.nx - 1; })) return Where::last_column;
    if (wide && all([](Place p) { return p.x == 0; })) return Where::first_column;
    if (high && all([&](Place p) { return p.y == s.ny - 1; })) return Where::last_row;
    if (high && all([](Place p) { return p.y == 0; })) return Where::first_row;
    if (rest_x > 0 && rest_x < s.nx && all([&](Place p) { return p.x >= s.nx - rest_x; }))
        return Where::last_columns;
    if (rest_y > 0 && rest_y < s.ny && all([&](Place p) { return p.y >= s.ny - rest_y; }))
        return Where::last_rows;
    if (wide && high &&
        all([&](Place p) { return p.x == 0 || p.x == s.nx - 1 || p.y == 0 || p.y == s.ny - 1; }))
        return Where::edge;
    const auto at_tile_edge = [](int i, int tile) {
        return tile > 2 && (i % tile == 0 || i % tile == tile - 1);
    };
    if (all([&](Place p) { return at_tile_edge(p.x, s.tile_x) || at_tile_edge(p.y, s.tile_y); }))
        return Where::tile_edges;
    return Where::scattered;
}

std::string words_for(Where where, const Shape& shape) {
    const auto remainder = [](const char* what, char n, int cells, int tile) {
        return fmt::format("all in the last {} {} (n{} % {})", cells % tile, what, n, tile);
    };
    switch (where) {
        case Where::all:
            return "every cell";
        case Where::last_column:
            return "all in the last column";
        case Where::first_column:
            return "all in the first column";
        case Where::last_row:
            return "all in the last row";
        case Where::first_row:
            return "all in the first row";
        case Where::last_columns:
            return remainder("columns", 'x', shape.nx, shape.tile_x);
        case Where::last_rows:
            return remainder("rows", 'y', shape.ny, shape.tile_y);
        case Where::edge:
            return "all at the edge of the field";
        case Where::tile_edges:
            return fmt::format("all at the edges of the blocks' {}x{} cells", shape.tile_x, shape.tile_y);
        case Where::scattered:
            break;
    }
    return "";
}

}  // namespace stencil::user_kernel
