// How the CPU backend lays a field out: rows with a ghost cell on either side.
#pragma once

#include <cstddef>

#include "kernels/aligned_buffer.h"
#include "kernels/boundary.h"
#include "kernels/field_view.h"

namespace stencil {

/// Rows start on a cache line; the cache line before each holds the west ghost cell, and at least one whole
/// cache line after the last cell holds the east one and what whole vectors read and write beyond it.
template <class T>
struct PaddedRows {
    static constexpr int kLine = int(AlignedBuffer<T>::kAlignment / sizeof(T));

    static int pitch(int nx) { return (nx + kLine - 1) / kLine * kLine + 2 * kLine; }
    static std::size_t cells(int nx, int ny) { return std::size_t(pitch(nx)) * std::size_t(ny); }
    static FieldView<T> view(T* buffer, int nx, int ny) { return {buffer + kLine, nx, ny, pitch(nx)}; }
};

/// Set the ghost cell on one side of a row of n cells.
template <class T>
inline void set_west_ghost(T* row, int n, Boundary boundary) {
    const int inside = inside_index(boundary, -1, n);
    row[-1] = inside == kOutside ? T(0) : row[inside];
}

template <class T>
inline void set_east_ghost(T* row, int n, Boundary boundary) {
    const int inside = inside_index(boundary, n, n);
    row[n] = inside == kOutside ? T(0) : row[inside];
}

}  // namespace stencil
