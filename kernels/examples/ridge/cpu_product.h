// Products of a sparse matrix with a float64 vector on the CPU.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class ThreadPool;

/// Some rows of one block of a matrix: y[i] += row i times x, for i in [begin, end).
struct ProductRows {
    const std::int64_t* start;
    std::variant<const float*, const double*> value;
    std::variant<const std::uint16_t*, const std::uint32_t*> index;
    const double* x;
    double* y;
    std::int64_t begin, end;
};

/// A matrix laid out for y = A x. If rows are long enough it is divided into blocks of columns whose part of
/// x stays in the L1 cache, with 16-bit column indices; otherwise it is a single block with 32-bit indices.
template <class T>
class CpuProduct {
  public:
    CpuProduct(const SparseMatrix<T>& a, ThreadPool& threads);

    /// y (rows) = A x (columns), in float64 for either T. Any number of threads gives the same bits.
    void multiply(const double* x, double* y) const;

  private:
    template <class I>
    void fill(const SparseMatrix<T>& a, AlignedBuffer<I>& index);

    ThreadPool& threads_;
    std::int64_t rows_, columns_;
    std::int64_t block_columns_;
    std::int64_t blocks_;
    std::vector<std::int64_t> start_;   // row starts, block by block, rows + 1 each
    std::vector<std::int64_t> bounds_;  // row ranges of the threads
    AlignedBuffer<T> value_;
    std::variant<AlignedBuffer<std::uint16_t>, AlignedBuffer<std::uint32_t>> index_;
};

}  // namespace stencil
