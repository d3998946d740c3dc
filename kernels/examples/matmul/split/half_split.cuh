// Splits float32 matrices into pairs of halves for the tensor cores.
//
// A half has 11 significant bits. Each row of A and each column of B is scaled by a power of two that brings
// its largest value to [2^13, 2^14); then x = high + low with high = half(x) and low = half(x - high) but for
// 2^-23 of |x| or, for small x, 2^-38 of the largest. So a_i b_j = high high + high low + low high but for
// about 2^-22, and the products of halves are exact in float32.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/field/divide.h"

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

/// Zeros pad to whole chunks.
inline std::int64_t half_chunks(const HalfLayout& layout) {
    return ceil_div(layout.k, layout.chunk);
}

/// A (rows, layout.k), row-major, to `halves` (rows, layout.pitch). What is in row i is to be multiplied by
/// 2^exponents[i] in the end.
struct RowSplit {
    const float* a = nullptr;
    std::int64_t rows = 0;
    HalfLayout layout;
    __half* halves = nullptr;
    int* exponents = nullptr;
};

/// B (layout.k, columns), row-major: column j becomes row j of the halves. `scratch` is for `columns`
/// numbers.
struct ColumnSplit {
    const float* b = nullptr;
    std::int64_t columns = 0;
    HalfLayout layout;
    __half* halves = nullptr;
    int* exponents = nullptr;
    unsigned* scratch = nullptr;
};

/// Enqueue the split. Infinities and NaNs become NaNs. Throw CudaError.
void split_rows(const RowSplit& split, cudaStream_t stream);
void split_columns(const ColumnSplit& split, cudaStream_t stream);

}  // namespace stencil::matmul
