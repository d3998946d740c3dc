// The cells along one axis that make up a pixel, and their weights. Averages, interpolation and nearest cells
// are all such spans.
#pragma once

#include "kernels/field/host_device.h"
#include "kernels/view/resample.h"

namespace stencil {

/// The cells first ... last. The first and last have weights of their own, those between have weight 1, and
/// the sum is multiplied by `scale`. A single cell has weight 1 (first_weight).
struct CellSpan {
    int first = 0;
    int last = 0;
    double first_weight = 1;
    double last_weight = 1;
    double scale = 1;

    STENCIL_HOST_DEVICE constexpr double weight(int cell) const {
        return cell == first ? first_weight : (cell == last ? last_weight : 1);
    }
};

/// The pixels along one axis of `cells` cells.
struct PixelAxis {
    double begin = 0;  ///< start of pixel 0, in cells
    double size = 1;   ///< pixel size in cells, > 0
    int cells = 0;
    bool smooth = false;
    int first_pixel = 0;  ///< the first pixel that is computed
    int begin_held = 0;   ///< the local cells are [begin_held, end_held) and are indexed from begin_held
    int end_held = 1 << 30;
};

inline PixelAxis columns_of(const ResampleRequest& request, int nx) {
    return {request.area.x0, (request.area.x1 - request.area.x0) / request.width, nx, request.smooth};
}

inline PixelAxis rows_of(const ResampleRequest& request, int ny) {
    const ResampleRequest::Part& part = request.part;
    const double height = request.area.y1 - request.area.y0;
    if (part.field_rows == 0) return {request.area.y0, height / request.height, ny, request.smooth};
    return {request.area.y0,
            height / part.pixel_rows,
            part.field_rows,
            request.smooth,
            part.first_pixel,
            part.first_row,
            part.first_row + ny};
}

STENCIL_HOST_DEVICE constexpr CellSpan single_cell(double position, int cells) {
    const int cell = position >= cells ? cells - 1 : (position > 0 ? int(position) : 0);
    return {cell, cell, 1, 1, 1};
}

/// The value at a point: that of the nearest cell, or with `smooth` interpolated between two centres.
STENCIL_HOST_DEVICE constexpr CellSpan point_span(double position, int cells, bool smooth) {
    const double centre = position - 0.5;
    if (!smooth || !(centre > 0) || centre >= cells - 1) return single_cell(position, cells);
    const int first = int(centre);
    const double t = centre - first;
    if (t == 0) return single_cell(position, cells);
    return {first, first + 1, 1 - t, t, 1};
}

/// Whether a point lies inside of the field.
STENCIL_HOST_DEVICE constexpr bool holds(const SamplePoint& point, int nx, int ny) {
    return point.x >= 0 && point.x < nx && point.y >= 0 && point.y < ny;
}

/// The cells of a pixel, among all cells of the field (see ResampleRequest).
STENCIL_HOST_DEVICE constexpr CellSpan whole_span(const PixelAxis& axis, int pixel) {
    if (!(axis.size > 1)) return point_span(axis.begin + (pixel + 0.5) * axis.size, axis.cells, axis.smooth);
    double low = axis.begin + pixel * axis.size;
    double high = axis.begin + (pixel + 1.0) * axis.size;
    if (low < 0) low = 0;
    if (high > axis.cells) high = axis.cells;
    if (!(low < high)) return single_cell(low, axis.cells);
    const int first = int(low);
    const int below = int(high);
    const int last = below < high ? below : below - 1;
    if (first == last) return single_cell(low, axis.cells);
    const double first_weight = first + 1 - low;
    const double last_weight = high - last;
    return {first,
            last,
            first_weight,
            last_weight,
            1 / (first_weight + last_weight + (double(last) - first - 1))};
}

/// The cells of a pixel, among the local cells; empty (last < first) if there is none.
STENCIL_HOST_DEVICE constexpr CellSpan pixel_span(const PixelAxis& axis, int pixel) {
    CellSpan span = whole_span(axis, axis.first_pixel + pixel);
    const int first = span.first < axis.begin_held ? axis.begin_held : span.first;
    const int last = span.last < axis.end_held ? span.last : axis.end_held - 1;
    return {
        first - axis.begin_held, last - axis.begin_held, span.weight(first), span.weight(last), span.scale};
}

/// The part of a picture that rows [first, first + count) of a field of `field_rows` contribute to.
inline ResampleRequest pixel_rows_of(ResampleRequest request, int first, int count, int field_rows) {
    request.part = {first, field_rows, 0, request.height};
    const PixelAxis axis = rows_of(request, count);
    const auto is_empty = [&](int pixel) {
        const CellSpan span = pixel_span(axis, pixel);
        return span.last < span.first;
    };
    int begin = 0, end = request.height;
    while (begin < end && is_empty(begin)) ++begin;
    while (end > begin && is_empty(end - 1)) --end;
    request.part.first_pixel = begin;
    request.height = end - begin;
    return request;
}

}  // namespace stencil
