// Flood fill.
#pragma once

#include <vector>

#include "kernels/field/field_view.h"
#include "kernels/view/paint_cell.h"

namespace stencil {

/// The cells connected to (x, y), through sides, by cells that differ from it by at most `tolerance` (if it
/// is not finite: by cells that are not). Disjoint boxes in a deterministic order; none if (x, y) lies
/// outside of the field.
template <class T>
std::vector<CellBox> flood_fill(FieldView<const T> cells, int x, int y, double tolerance);

}  // namespace stencil
