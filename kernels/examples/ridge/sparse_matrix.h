// A sparse matrix on the host as its rows' nonzeros, and its form for products: what both devices start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil {

/// Compressed rows. Columns ascend within a row, each at most once; T is float or double.
template <class T>
struct SparseMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> start;    ///< rows + 1; where each row begins
    std::vector<std::uint32_t> column;  ///< of each nonzero
    std::vector<T> value;

    std::int64_t nonzeros() const { return std::int64_t(value.size()); }
};

template <class T>
SparseMatrix<T> transposed(const SparseMatrix<T>& a);

}  // namespace stencil
