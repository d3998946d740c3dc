// Weighted sums of the columns of a matrix: sums[k] = sum over i of weights[i] a[i, k]. One pass, limited by
// memory bandwidth.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stencil {

class CudaStream;
class ThreadPool;

/// Row-major with `stride` values from one row to the next.
struct MatrixShape {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
};

/// `weights` (rows) may be null: all 1. `sums` (columns) is overwritten, with zeros if there are no rows. T
/// is float or double. Every call gives the same bits for the same number of threads.
template <class T>
void cpu_column_sums(ThreadPool& threads, const T* a, const MatrixShape& shape, const T* weights, T* sums);

/// Bytes of scratch memory that cuda_column_sums() takes.
template <class T>
std::size_t cuda_column_sums_bytes(const MatrixShape& shape);

/// Enqueues the same on the device; all pointers are to device memory, with any alignment of T. Every call
/// gives the same bits. Throws CudaError.
template <class T>
void cuda_column_sums(
    CudaStream& stream, const T* a, const MatrixShape& shape, const T* weights, T* sums, void* scratch);

}  // namespace stencil
