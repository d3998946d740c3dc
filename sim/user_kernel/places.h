// Where in a field some of its cells lie, in words.
#pragma once

#include <string>
#include <vector>

namespace stencil::user_kernel {

struct Place {
    int x = 0, y = 0;
};

struct Shape {
    int nx = 1, ny = 1;
    int tile_x = 32, tile_y = 8;  ///< cells of a block
};

enum class Where {
    all,
    last_column,
    first_column,
    last_row,
    first_row,
    last_columns,
    last_rows,
    edge,
    tile_edges,
    scattered
};

/// The narrowest of these that holds for all of the cells; `scattered` where none does.
Where where_are(const std::vector<Place>& cells, const Shape& shape);

/// "all in the last column"; empty where they are scattered.
std::string words_for(Where where, const Shape& shape);

}  // namespace stencil::user_kernel
