// A quantity at any point, written once for host and device.
#pragma once

#include "kernels/view/cell_span.h"
#include "kernels/view/quantity_at.h"

namespace stencil {

/// The weighted sum over the cells of two points' spans (whose scale is 1).
template <Quantity Q, class T>
STENCIL_HOST_DEVICE double sum_of_spans(const QuantitySource<T>& source,
                                        const CellSpan& columns,
                                        const CellSpan& rows) {
    double sum = 0;
    for (int y = rows.first; y <= rows.last; ++y)
        for (int x = columns.first; x <= columns.last; ++x)
            sum += rows.weight(y) * columns.weight(x) * double(quantity_at<Q>(source, x, y));
    return sum;
}

struct Sampling {
    bool smooth = false;
    int first_row = 0, field_rows = 0;  ///< set if the source is a slab of a distributed field
};

/// The quantity at a point; NaN outside of the field.
template <Quantity Q, class T>
STENCIL_HOST_DEVICE double sampled(const QuantitySource<T>& source,
                                   const SamplePoint& point,
                                   const Sampling& how) {
    const int nx = source.field.nx();
    const int ny = how.field_rows > 0 ? how.field_rows : source.field.ny();
    if (!holds(point, nx, ny)) return __builtin_nan("");
    CellSpan rows = point_span(point.y, ny, how.smooth);
    rows.first -= how.first_row;
    rows.last -= how.first_row;
    return sum_of_spans<Q>(source, point_span(point.x, nx, how.smooth), rows);
}

}  // namespace stencil
