#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

template <class T>
SparseMatrix<T> transposed(const SparseMatrix<T>& a) {
    SparseMatrix<T> t;
    t.rows = a.columns;
    t.columns = a.rows;
    t.start.assign(std::size_t(t.rows) + 1, 0);
    for (const std::uint32_t column : a.column) ++t.start[column + std::size_t(1)];
    for (std::size_t j = 0; j < std::size_t(t.rows); ++j) t.start[j + 1] += t.start[j];
    t.column.resize(a.column.size());
    t.value.resize(a.value.size());
    std::vector<std::int64_t> next(t.start.begin(), t.start.end() - 1);
    for (std::int64_t i = 0; i < a.rows; ++i) {
        for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k) {
            const auto place = std::size_t(next[a.column[k]]++);
            t.column[place] = std::uint32_t(i);
            t.value[place] = a.value[k];
        }
    }
    return t;
}

template SparseMatrix<float> transposed(const SparseMatrix<float>&);
template SparseMatrix<double> transposed(const SparseMatrix<double>&);

}  // namespace stencil
