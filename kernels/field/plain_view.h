// Unscaled views of a stored state: code that reads or paints a field does not depend on how a method scales
// it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/field/cell_update.h"
#include "kernels/field/field_view.h"
#include "kernels/field/host_device.h"

namespace stencil {

/// Cells of one row, unscaled on access. Negative and large indices reach the rows above and below.
template <class T>
class PlainRow {
  public:
    STENCIL_HOST_DEVICE constexpr PlainRow(const T* stored, double factor)
        : stored_(stored), factor_(factor) {}

    /// The field's cell, rounded to T.
    STENCIL_HOST_DEVICE constexpr T operator[](std::ptrdiff_t i) const {
#ifdef __CUDA_ARCH__
        // Not a plain product: nvcc would contract it with the next addition into an FMA, without rounding to
        // T first.
        return T(__dmul_rn(double(stored_[i]), factor_));
#else
        return T(double(stored_[i]) * factor_);
#endif
    }

    /// The row shifted by `cells`.
    STENCIL_HOST_DEVICE constexpr PlainRow operator+(std::ptrdiff_t cells) const {
        return {stored_ + cells, factor_};
    }

  private:
    const T* stored_;
    double factor_;
};

/// An unscaled view of a field of (ny, nx) cells; it does not own them. T is const for read-only views.
template <class T>
class PlainView {
  public:
    using Cell = std::remove_const_t<T>;

    PlainView() = default;
    /// The field is `stored` times `factor`.
    STENCIL_HOST_DEVICE constexpr PlainView(FieldView<T> stored, double factor = 1)
        : stored_(stored), factor_(factor) {}

    STENCIL_HOST_DEVICE constexpr int nx() const { return stored_.nx; }
    STENCIL_HOST_DEVICE constexpr int ny() const { return stored_.ny; }
    /// Distance between the starts of two rows, in cells.
    STENCIL_HOST_DEVICE constexpr std::ptrdiff_t pitch() const { return stored_.pitch; }
    /// Rows [first, first + count).
    constexpr PlainView rows(int first, int count) const { return {stored_.rows(first, count), factor_}; }
    STENCIL_HOST_DEVICE constexpr PlainRow<Cell> row(int y) const { return {stored_.row(y), factor_}; }
    STENCIL_HOST_DEVICE constexpr Cell at(int x, int y) const { return row(y)[x]; }

    /// For sums over many cells: the sum of addends times addend_unit() is the sum of the field, without a
    /// rounding and a multiplication per cell.
    STENCIL_HOST_DEVICE constexpr Cell addend(int x, int y) const { return stored_.at(x, y); }
    STENCIL_HOST_DEVICE constexpr double addend_unit() const { return factor_; }

    /// Sets the field's cell to `value`, rounded to the stored type.
    STENCIL_HOST_DEVICE constexpr void set(int x, int y, double value) const {
        stored_.at(x, y) = Cell(value / factor_);
    }

    /// The five values of the stencil, at any cell.
    STENCIL_HOST_DEVICE constexpr Neighbourhood<Cell> neighbourhood(Boundary boundary, int x, int y) const {
        const Neighbourhood<Cell> n = stencil::neighbourhood<Cell>(stored_, boundary, x, y);
        const auto plain = [this](const Cell& stored) { return PlainRow<Cell>(&stored, factor_)[0]; };
        return {plain(n.center), plain(n.north), plain(n.south), plain(n.west), plain(n.east)};
    }

    /// Converts to a read-only view.
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) STENCIL_HOST_DEVICE operator PlainView<U>()
        const {
        return {FieldView<U>(stored_), factor_};
    }

  private:
    FieldView<T> stored_;
    double factor_ = 1;
};

/// The five values around row[0], all inside of the field.
template <class T>
STENCIL_HOST_DEVICE constexpr Neighbourhood<T> inner_neighbourhood(const PlainRow<T>& row,
                                                                   std::ptrdiff_t pitch) {
    return {row[0], row[-pitch], row[pitch], row[-1], row[1]};
}

}  // namespace stencil
