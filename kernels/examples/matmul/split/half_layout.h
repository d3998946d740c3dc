// Where the two halves of float32 matrices are for the tensor cores (half_split.cuh says what they are).
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace stencil::matmul {

/// A row for each row of A, or for each column of B: both factors are read along k. Within a row, k is cut
/// into chunks, and a chunk has its parts one after the other.
struct HalfLayout {
    std::int64_t k = 0;      ///< numbers that there are
    std::int64_t chunk = 0;  ///< numbers of a chunk; those beyond k are zeros
    std::int64_t pitch = 0;  ///< halves from one row to the next
    int parts = 2;           ///< of a chunk
    int high = 0, low = 1;   ///< the parts' places
    int high_again = -1;     ///< where the high part is stored a second time; -1: nowhere
};

}  // namespace stencil::matmul
