// Fields on the CPU: their layout in memory, and copies.
#pragma once

#include <cstddef>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// Rows start on a cache line, with one line of padding before and after each: rows whose length is a power
/// of two then do not map to the same cache sets, and vector loads may read past their ends.
template <class T>
struct PaddedRows {
    static constexpr int kLine = int(AlignedBuffer<T>::kAlignment / sizeof(T));

    static int pitch(int nx) { return (nx + kLine - 1) / kLine * kLine + kLine; }
    static std::size_t cells(int nx, int ny) {
        return std::size_t(kLine) + std::size_t(pitch(nx)) * std::size_t(ny);
    }
    static FieldView<T> view(T* buffer, int nx, int ny) { return {buffer + kLine, nx, ny, pitch(nx)}; }
};

/// Copies between host fields and converts each cell.
template <class A, class B>
void copy_cells(FieldView<A> from, FieldView<B> to) {
    for (int y = 0; y < to.ny; ++y)
        for (int x = 0; x < to.nx; ++x) to.at(x, y) = B(from.at(x, y));
}

}  // namespace stencil
