// Reads a quantity down a column; each row reuses values that the row above has loaded.
#pragma once

#include <cuda_runtime.h>

#include "kernels/view/quantity_at.h"

namespace stencil {

/// The cells of column x from row y on. at() must be called for consecutive rows.
template <Quantity Q, bool kInner, class T>
class ColumnReader {
  public:
    __device__ ColumnReader(const QuantitySource<T>& source, int x, int) : source_(source), x_(x) {}
    __device__ QuantityValue<Q, T> at(int y) { return quantity_at<Q, kInner>(source_, x_, y); }
    /// The quantity as a summand, whose sum is to be multiplied by addend_unit().
    __device__ QuantityValue<Q, T> addend(int y) {
        if constexpr (Q == Quantity::value)
            return source_.field.addend(x_, y);
        else
            return at(y);
    }

  private:
    const QuantitySource<T>& source_;
    int x_;
};

/// The factor for a sum of addends.
template <Quantity Q, class T>
__device__ double addend_unit(const QuantitySource<T>& source) {
    return Q == Quantity::value ? source.field.addend_unit() : 1;
}

/// The row above has already loaded two of the five values of a Laplacian.
template <class T>
class ColumnReader<Quantity::laplacian, true, T> {
  public:
    __device__ ColumnReader(const QuantitySource<T>& source, int x, int y)
        : source_(source), x_(x), north_(value(x, y - 1)), center_(value(x, y)) {}

    __device__ T addend(int y) { return at(y); }
    __device__ T at(int y) {
        const T south = value(x_, y + 1);
        const T result =
            laplacian_cell(Neighbourhood<T>{center_, north_, south, value(x_ - 1, y), value(x_ + 1, y)});
        north_ = center_;
        center_ = south;
        return result;
    }

  private:
    __device__ T value(int x, int y) const { return source_.field.at(x, y); }

    const QuantitySource<T>& source_;
    int x_;
    T north_;
    T center_;
};

}  // namespace stencil
