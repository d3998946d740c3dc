// Which cells along one axis make up a pixel, and with what weights: averages, interpolation and single cells
// are all spans of cells.
#pragma once

#include "kernels/field/host_device.h"
#include "kernels/view/resample.h"

namespace stencil {

/// The cells first, ..., last: the first and the last with weights of their own, those between with weight 1,
/// and the sum times `scale`. A single cell has the first weight, which is 1.
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

/// The pixels along one axis of a field of `cells` cells.
struct PixelAxis {
    double begin = 0;  ///< where pixel 0 begins, in cells
    double size = 1;   ///< of a pixel, in cells; > 0
    int cells = 0;
    bool smooth = false;
};

inline PixelAxis columns_of(const ResampleRequest& request, int nx) {
    return {request.area.x0, (request.area.x1 - request.area.x0) / request.width, nx, request.smooth};
}

inline PixelAxis rows_of(const ResampleRequest& request, int ny) {
    return {request.area.y0, (request.area.y1 - request.area.y0) / request.height, ny, request.smooth};
}

STENCIL_HOST_DEVICE constexpr CellSpan single_cell(double position, int cells) {
    const int cell = position >= cells ? cells - 1 : (position > 0 ? int(position) : 0);
    return {cell, cell, 1, 1, 1};
}

/// The value at a point: of the cell that holds it, or between the centres beside it.
STENCIL_HOST_DEVICE constexpr CellSpan point_span(double position, int cells, bool smooth) {
    const double centre = position - 0.5;
    if (!smooth || !(centre > 0) || centre >= cells - 1) return single_cell(position, cells);
    const int first = int(centre);
    const double t = centre - first;
    if (t == 0) return single_cell(position, cells);
    return {first, first + 1, 1 - t, t, 1};
}

/// Whether a point lies in the field.
STENCIL_HOST_DEVICE constexpr bool holds(const SamplePoint& point, int nx, int ny) {
    return point.x >= 0 && point.x < nx && point.y >= 0 && point.y < ny;
}

/// See ResampleRequest.
STENCIL_HOST_DEVICE constexpr CellSpan pixel_span(const PixelAxis& axis, int pixel) {
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

}  // namespace stencil
