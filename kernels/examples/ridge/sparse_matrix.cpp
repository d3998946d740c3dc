#include "kernels/examples/ridge/sparse_matrix.h"

#include "kernels/cpu/thread_pool.h"

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

// Four sums, because an addition depends on the previous one.
template <class T>
void multiply(const SparseMatrix<T>& a, const double* x, double* y, ThreadPool& threads) {
    const std::int64_t worth_waking = 20000 * a.rows / (a.nonzeros() + 1);  // rows; some ten microseconds
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const T* const value = a.value.data();
            const std::uint32_t* const column = a.column.data();
            const std::int64_t last = a.start[std::size_t(i) + 1];
            std::int64_t k = a.start[std::size_t(i)];
            double sums[4] = {};
            for (; k + 4 <= last; k += 4)
                for (int lane = 0; lane < 4; ++lane)
                    sums[lane] += double(value[k + lane]) * x[column[k + lane]];
            for (; k < last; ++k) sums[0] += double(value[k]) * x[column[k]];
            y[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
    };
    threads.for_ranges(a.rows, rows, worth_waking);
}

template SparseMatrix<float> transposed(const SparseMatrix<float>&);
template SparseMatrix<double> transposed(const SparseMatrix<double>&);
template void multiply(const SparseMatrix<float>&, const double*, double*, ThreadPool&);
template void multiply(const SparseMatrix<double>&, const double*, double*, ThreadPool&);

}  // namespace stencil
