// A non-owning 2D view of a field, for host and device code.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/field/host_device.h"

namespace stencil {

/// A field of (ny, nx) cells, row-major. `pitch` is the distance between the starts of two rows, in cells (>=
/// nx).
template <class T>
struct FieldView {
    T* data = nullptr;
    int nx = 0;
    int ny = 0;
    int pitch = 0;

    STENCIL_HOST_DEVICE T* row(int y) const { return data + std::ptrdiff_t(y) * pitch; }
    STENCIL_HOST_DEVICE T& at(int x, int y) const { return row(y)[x]; }

    /// Rows [first, first + count).
    constexpr FieldView rows(int first, int count) const { return {row(first), nx, count, pitch}; }

    /// Converts to a read-only view.
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) STENCIL_HOST_DEVICE operator FieldView<U>()
        const {
        return {data, nx, ny, pitch};
    }
};

}  // namespace stencil
