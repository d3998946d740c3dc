// Products of a sparse matrix with a float64 vector on the CPU.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class ThreadPool;

/// Rows of a part of a matrix: y[i] += its row i times x, for i of [begin, end).
struct ProductRows {
    const std::int64_t* start;
    std::variant<const float*, const double*> value;
    std::variant<const std::uint16_t*, const std::uint32_t*> index;
    const double* x;
    double* y;
    std::int64_t begin, end;
};

/// A matrix laid out for y = A x. Where rows are long enough it is cut into blocks of columns whose part of x
/// stays in the first-level cache, and a column takes 16 bits; otherwise it is one block with 32 bits.
template <class T>
class CpuProduct {
  public:
    CpuProduct(const SparseMatrix<T>& a, ThreadPool& threads);

    /// y (rows) = A x (columns), in float64 whatever T is. The same bits with any number of threads.
    void multiply(const double* x, double* y) const;

  private:
    template <class I>
    void fill(const SparseMatrix<T>& a, AlignedBuffer<I>& index);

    ThreadPool& threads_;
    std::int64_t rows_, columns_;
    std::int64_t block_columns_;
    std::int64_t blocks_;
    std::vector<std::int64_t> start_;   // block by block, each rows + 1
    std::vector<std::int64_t> bounds_;  // each thread's rows
    AlignedBuffer<T> value_;
    std::variant<AlignedBuffer<std::uint16_t>, AlignedBuffer<std::uint32_t>> index_;
};

}  // namespace stencil
