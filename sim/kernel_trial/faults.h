// Diagnoses the output of a user's kernel in one sentence. Fields are surrounded by canary cells, which
// reveal reads and writes outside the field.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/field/field_view.h"
#include "sim/field/field.h"

namespace stencil::user_kernel {

/// Layout of a guarded field: a band before the first row, padding after each, a band after the last.
struct GuardedShape {
    int nx = 1, ny = 1;
    int pitch = 1;         ///< a multiple of 32 cells, more than nx
    std::size_t band = 0;  ///< in cells

    GuardedShape(int columns, int rows)
        : nx(columns), ny(rows), pitch((columns + 1 + 31) / 32 * 32), band(std::size_t(8 * pitch) + 4096) {}

    std::size_t cells() const { return 2 * band + std::size_t(pitch) * std::size_t(ny); }
    std::size_t at(int x, int y) const {
        return std::size_t(std::ptrdiff_t(band) + std::ptrdiff_t(y) * pitch + x);
    }
    bool inside(std::size_t i) const {
        return i >= band && i < cells() - band && (i - band) % std::size_t(pitch) < std::size_t(nx);
    }
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;

template <class T>
Bits<T> bits_of(T value) {
    return std::bit_cast<Bits<T>>(value);
}

// Signalling NaNs, which no arithmetic produces (it makes them quiet), for the bands and for cells to be
// written.
template <class T>
T band_mark() {
    return std::bit_cast<T>(Bits<T>(sizeof(T) == sizeof(float) ? 0x7fa5a5a5ULL : 0x7ff65a5a5a5a5a5aULL));
}
template <class T>
T unwritten_mark() {
    return std::bit_cast<T>(Bits<T>(sizeof(T) == sizeof(float) ? 0x7f93c3c3ULL : 0x7ff53c3c3c3c3c3cULL));
}

/// One component's array, on the host.
template <class T>
using Cells = std::vector<T>;

/// Fills an array with canaries.
template <class T>
Cells<T> unwritten_cells(const GuardedShape& shape) {
    Cells<T> cells(shape.cells(), band_mark<T>());
    for (int y = 0; y < shape.ny; ++y)
        std::fill_n(cells.begin() + std::ptrdiff_t(shape.at(0, y)), shape.nx, unwritten_mark<T>());
    return cells;
}

template <class T>
Cells<T> guarded_cells(const GuardedShape& shape, const Array<T>& field) {
    Cells<T> cells(shape.cells(), band_mark<T>());
    for (int y = 0; y < shape.ny; ++y)
        std::copy_n(&field.at(0, y), shape.nx, cells.begin() + std::ptrdiff_t(shape.at(0, y)));
    return cells;
}

/// Arrays of one component before and after one or more launches, with words for the message.
template <class T>
struct Outcome {
    GuardedShape shape;
    const Cells<T>& before;      ///< input of the launch
    const Cells<T>& after;       ///< the same memory after the launch
    const Cells<T>& made;        ///< output of the launch
    const Array<double>& right;  ///< correct output
    double tolerance = 0;        ///< largest |made - right| allowed
    int tile_x = 32, tile_y = 8;
    std::string component;  ///< such as "u" if there are several; else empty
    std::string boundary;   ///< such as "zero"

    /// Returns the fault, or an empty text. Cells whose correct value is not finite are not compared.
    std::string fault() const;
    /// Returns a message if a repeated launch gave other results; otherwise an empty text.
    std::string difference(const Cells<T>& again) const;
    /// Returns the largest |made - right| where the correct value is finite.
    double largest_error() const;
};

}  // namespace stencil::user_kernel
