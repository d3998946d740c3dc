// A sparse matrix on the host in compressed rows, from which both devices build their own form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil {

class ThreadPool;

/// Compressed rows. Columns ascend within a row, each at most once; T is float or double.
template <class T>
struct SparseMatrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> start;    ///< rows + 1; first nonzero of each row
    std::vector<std::uint32_t> column;  ///< column of each nonzero
    std::vector<T> value;

    std::int64_t nonzeros() const { return std::int64_t(value.size()); }
};

template <class T>
SparseMatrix<T> transposed(const SparseMatrix<T>& a);

/// y (rows) = A x (columns), in float64 for either T. Any number of threads gives the same bits.
template <class T>
void multiply(const SparseMatrix<T>& a, const double* x, double* y, ThreadPool& threads);

}  // namespace stencil
