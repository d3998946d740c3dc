// The outline of a model's shape, `inside = ...`, along the faces between its cells and those outside.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"

namespace stencil {

/// A stretch along a row or a column of faces, in cell coordinates.
struct OutlineStretch {
    SamplePoint from, to;
    friend bool operator==(const OutlineStretch&, const OutlineStretch&) = default;
};
using ShapeOutline = std::vector<OutlineStretch>;

/// Returns the faces between samples inside and outside; adjacent faces in a line are joined. The samples are
/// the centres of columns x rows boxes that divide the area. If a shape is so fine-grained that its outline
/// would have more than kMostStretches, none is returned.
ShapeOutline shape_outline(const CellArea& area,
                           int columns,
                           int rows,
                           const std::function<bool(int column, int row)>& inside);
inline constexpr std::size_t kMostStretches = 1 << 16;

/// Returns the outline of a field that is 1 inside a shape and 0 outside.
ShapeOutline shape_outline(const Field& inside);

}  // namespace stencil
