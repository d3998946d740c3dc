// The decomposition of a field's rows or columns into strips for distributed transforms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/field/divide.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// Splits `lines` as evenly as possible in units of two lines, because pairs of real lines are transformed as
/// one complex line.
struct Strips {
    static constexpr int kUnit = 2;

    int lines = 0;
    int parts = 1;

    constexpr int begin(int part) const {
        const long long units = ceil_div(static_cast<long long>(lines), kUnit);
        return int(std::min<long long>(lines, units * part / parts * kUnit));
    }
    constexpr int count(int part) const { return begin(part + 1) - begin(part); }
};

/// `rows` rows of `width` bytes in device memory.
struct ByteRows {
    std::byte* data = nullptr;
    std::size_t pitch = 0;  ///< bytes from row to row
    std::size_t width = 0;
    std::size_t rows = 0;

    std::size_t bytes() const { return width * rows; }
};

template <class T>
ByteRows bytes_of_cells(FieldView<T> cells) {
    return {reinterpret_cast<std::byte*>(cells.data),
            std::size_t(cells.pitch) * sizeof(T),
            std::size_t(cells.nx) * sizeof(T),
            std::size_t(cells.ny)};
}

/// The strips of a field's rows, or of its columns.
template <class T>
std::vector<ByteRows> cut_rows(FieldView<T> field, const Strips& strips) {
    std::vector<ByteRows> cut;
    for (int part = 0; part < strips.parts; ++part)
        cut.push_back(bytes_of_cells(field.rows(strips.begin(part), strips.count(part))));
    return cut;
}
template <class T>
std::vector<ByteRows> cut_columns(FieldView<T> field, const Strips& strips) {
    std::vector<ByteRows> cut;
    for (int part = 0; part < strips.parts; ++part)
        cut.push_back(bytes_of_cells(
            FieldView<T>{field.data + strips.begin(part), strips.count(part), field.ny, field.pitch}));
    return cut;
}

}  // namespace stencil
