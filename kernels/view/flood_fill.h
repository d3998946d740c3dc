// Which cells a fill reaches.
#pragma once

#include <vector>

#include "kernels/field/field_view.h"
#include "kernels/view/paint_cell.h"

namespace stencil {

/// The cells that are joined to (x, y) through their sides by cells like it: their values differ from its own
/// by at most `tolerance` (where its own is no finite number, they are none either). As boxes that do not
/// overlap, in an order that depends on nothing else; none where (x, y) is beyond the field. On the host.
template <class T>
std::vector<CellBox> flood_fill(FieldView<const T> cells, int x, int y, double tolerance);

}  // namespace stencil
