// The operations of einsum's plans: products of strided arrays, sums, and matrix products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace stencil {
class CudaStream;
class ThreadPool;
}  // namespace stencil

namespace stencil::einsum {

/// out[i0, i1, ...] = a[i0 * a0 + i1 * a1 + ...] * b[...], in C order without padding. Strides count values;
/// a stride of 0 repeats them.
struct ProductShape {
    /// Arrays have fewer than 2^40 values, hence fewer than 40 axes of length 2 or more.
    static constexpr int kMaxAxes = 40;
    int axes = 0;
    std::int64_t count[kMaxAxes] = {};
    std::int64_t a[kMaxAxes] = {};
    std::int64_t b[kMaxAxes] = {};

    std::int64_t values() const {
        std::int64_t product = 1;
        for (int i = 0; i < axes; ++i) product *= count[i];
        return product;
    }
};

struct StridedAxis {
    std::int64_t count = 1;
    std::int64_t stride = 1;
};

/// out[o, i] = sum over r of weights[o * weight_outer + r] * a[o * outer + r * reduced + i * inner], in C
/// order.
struct SumShape {
    StridedAxis outer, reduced, inner;
    std::int64_t weight_outer = 0;
};

/// A batch of matrices, row-major (if `transposed`, column-major) with `leading` values from row to row
/// (column to column).
struct BatchedMatrix {
    std::int64_t leading = 1;
    std::int64_t batch_stride = 0;
    bool transposed = false;
};

/// C (m x n) = A (m x k) B (k x n) for each matrix of a batch.
struct MatrixProductShape {
    std::int64_t batch = 1, m = 1, n = 1, k = 1;
    BatchedMatrix a, b, c;  ///< c is not transposed
};

/// The arithmetic of one device; pointers are to its memory. Every call gives the same bits.
template <class T>
class EinsumArithmetic {
  public:
    virtual ~EinsumArithmetic() = default;
    /// `b` may be null: a copy of a.
    virtual void multiply(const ProductShape& shape, const T* a, const T* b, T* out) = 0;
    /// `weights` may be null: all 1.
    virtual void sum(const SumShape& shape, const T* a, const T* weights, T* out) = 0;
    virtual void multiply_matrices(const MatrixProductShape& shape, const T* a, const T* b, T* c) = 0;
    virtual void zero(std::int64_t count, T* to) = 0;
};

/// `between` is called between pieces of long work, each well below a second; it may throw.
template <class T>
std::unique_ptr<EinsumArithmetic<T>> cpu_einsum_arithmetic(ThreadPool& threads,
                                                           std::function<void()> between);

/// NumPy's bool, whose sums are logical or.
struct Logical {
    unsigned char value = 0;
    Logical& operator+=(Logical other) { return value |= other.value, *this; }
    friend Logical operator*(Logical a, Logical b) { return {static_cast<unsigned char>(a.value & b.value)}; }
    bool operator==(const Logical&) const = default;
};

/// Plain loops, for std::uint64_t (integers modulo 2^64), Logical and std::complex<double>.
template <class T>
std::unique_ptr<EinsumArithmetic<T>> plain_einsum_arithmetic(ThreadPool& threads,
                                                             std::function<void()> between);

/// Enqueues on the stream, which must outlive it; allocates scratch memory where a step needs more than those
/// before it. Its functions throw CudaError and MissingLibrary.
template <class T>
std::unique_ptr<EinsumArithmetic<T>> cuda_einsum_arithmetic(CudaStream& stream);

}  // namespace stencil::einsum
