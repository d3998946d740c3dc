// How the parts of a field change from strips of rows to strips of columns, and back.
#pragma once

#include <span>

#include "kernels/field/strips.h"
#include "kernels/methods/method.h"

namespace stencil {

class StripExchange {
  public:
    StripExchange(int part, int parts, FieldShape whole)
        : part_(part), rows_{whole.ny, parts}, columns_{whole.nx, parts} {}
    virtual ~StripExchange() = default;

    int part() const { return part_; }
    const Strips& rows() const { return rows_; }
    const Strips& columns() const { return columns_; }

    /// Gives block i to part i and takes the one that it gives, which has the same shape as what is given
    /// there. All parts call it. On CUDA it takes its turn on the stream.
    virtual void exchange(std::span<const ByteRows> give,
                          std::span<const ByteRows> take,
                          const ExecutionSpace& on) = 0;

  private:
    int part_;
    Strips rows_, columns_;
};

/// The field of which a method has the rows of this shape.
inline FieldShape whole_shape(const ExecutionSpace& on, FieldShape rows) {
    return on.strips ? FieldShape{on.strips->columns().lines, on.strips->rows().lines} : rows;
}

}  // namespace stencil
