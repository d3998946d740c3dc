// A quantity between cells, written once for both compilers.
#pragma once

#include "kernels/view/cell_span.h"
#include "kernels/view/quantity_at.h"

namespace stencil {

/// The weighted sum over the cells of both spans, which are points' (their scale is 1).
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

/// At a point; NaN beyond the field.
template <Quantity Q, class T>
STENCIL_HOST_DEVICE double sampled(const QuantitySource<T>& source, const SamplePoint& point, bool smooth) {
    const int nx = source.field.nx();
    const int ny = source.field.ny();
    if (!holds(point, nx, ny)) return __builtin_nan("");
    return sum_of_spans<Q>(source, point_span(point.x, nx, smooth), point_span(point.y, ny, smooth));
}

}  // namespace stencil
