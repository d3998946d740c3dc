// The cell updates, written once for host and device. Backends only decide how to iterate over the cells.
#pragma once

#include <cmath>

#include "kernels/field/boundary.h"
#include "kernels/field/field_view.h"

namespace stencil {

template <class T>
struct Neighbourhood {
    T center, north, south, west, east;
};

/// The coefficients of one explicit step; kernels/methods/scaled_steps.h derives them.
template <class T>
struct StepWeights {
    T ratio, scale;
};

/// One explicit step of one cell in the scaled state: scale * (ratio * u + north + south + east + west).
template <class T>
STENCIL_HOST_DEVICE constexpr T step_cell(const Neighbourhood<T>& u, const StepWeights<T>& w) {
    return w.scale * (w.ratio * u.center + ((u.north + u.south) + (u.west + u.east)));
}

/// north + south + east + west - 4 u for dx = 1. Summed as differences: where a field is smooth, neighbours
/// are close, so each difference is exact (Sterbenz) and the sum loses no digits.
template <class T>
STENCIL_HOST_DEVICE constexpr T laplacian_cell(const Neighbourhood<T>& u) {
    return ((u.north - u.center) + (u.south - u.center)) + ((u.west - u.center) + (u.east - u.center));
}

/// One explicit step of one cell, for any coefficient, in float64 and rounded once.
template <class T>
STENCIL_HOST_DEVICE T step_cell_plainly(const Neighbourhood<T>& u, double coefficient) {
    return T(std::fma(coefficient, double(laplacian_cell(u)), double(u.center)));
}

inline constexpr int kOutside = -1;  ///< returned by inside_index() where the ghost cell is 0
/// The index in [0, n) of the cell whose value applies at index i of an axis, for ghost cells at most one
/// outside (-1 <= i <= n).
STENCIL_HOST_DEVICE constexpr int inside_index(Boundary boundary, int i, int n) {
    if (i >= 0 && i < n) return i;
    if (boundary == Boundary::insulated) return i < 0 ? 0 : n - 1;
    if (boundary == Boundary::periodic) return i < 0 ? n - 1 : 0;
    return kOutside;
}

/// The value at (x, y); one of the two may lie one cell outside, where the boundary condition applies.
template <class T>
STENCIL_HOST_DEVICE constexpr T value_at(FieldView<const T> u, Boundary boundary, int x, int y) {
    const int ix = inside_index(boundary, x, u.nx);
    const int iy = inside_index(boundary, y, u.ny);
    return ix == kOutside || iy == kOutside ? T(0) : u.at(ix, iy);
}

template <class T>
STENCIL_HOST_DEVICE constexpr Neighbourhood<T> neighbourhood(FieldView<const T> u,
                                                             Boundary boundary,
                                                             int x,
                                                             int y) {
    const T* center = &u.at(x, y);
    // Interior cells need no boundary checks, and their neighbours have fixed address offsets.
    if (x > 0 && y > 0 && x < u.nx - 1 && y < u.ny - 1)
        return {center[0], center[-u.pitch], center[u.pitch], center[-1], center[1]};
    return {center[0],
            value_at(u, boundary, x, y - 1),
            value_at(u, boundary, x, y + 1),
            value_at(u, boundary, x - 1, y),
            value_at(u, boundary, x + 1, y)};
}

}  // namespace stencil
