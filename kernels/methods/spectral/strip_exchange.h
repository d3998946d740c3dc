// The transpose of a distributed field between strips of rows and strips of columns.
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

    /// All-to-all: sends block i to part i and receives one block from each, of the same shape as the
    /// sender's. Collective. On CUDA it is enqueued on the stream.
    virtual void exchange(std::span<const ByteRows> give,
                          std::span<const ByteRows> take,
                          const ExecutionSpace& on) = 0;

  private:
    int part_;
    Strips rows_, columns_;
};

/// The shape of the whole field, given that of the local rows.
inline FieldShape whole_shape(const ExecutionSpace& on, FieldShape rows) {
    return on.strips ? FieldShape{on.strips->columns().lines, on.strips->rows().lines} : rows;
}

}  // namespace stencil
