// How the CPU backend lays a field out: rows on cache lines.
#pragma once

#include <cstddef>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// Rows start on a cache line. An empty line stands before and behind each, so that rows of a power of two of
/// cells do not compete for the same places in the caches, and vectors may reach beyond their ends.
template <class T>
struct PaddedRows {
    static constexpr int kLine = int(AlignedBuffer<T>::kAlignment / sizeof(T));

    static int pitch(int nx) { return (nx + kLine - 1) / kLine * kLine + kLine; }
    static std::size_t cells(int nx, int ny) {
        return std::size_t(kLine) + std::size_t(pitch(nx)) * std::size_t(ny);
    }
    static FieldView<T> view(T* buffer, int nx, int ny) { return {buffer + kLine, nx, ny, pitch(nx)}; }
};

}  // namespace stencil
