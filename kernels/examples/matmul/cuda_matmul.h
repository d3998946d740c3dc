// Matrix products with column sums on the GPU, by several methods: C = A B and s_j = sum over i of C_ij.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace stencil {

class CudaStream;

enum class TensorKind { tf32, float64 };

/// Operations (a multiply-add is two) per clock and multiprocessor on dense matrices, with sums in float32
/// (float64 for float64), by compute capability; 0 if the GPU has no such units or none are documented here.
/// Sources: NVIDIA's architecture whitepapers (Ampere A100 and GA102, Ada AD102, Hopper H100, Blackwell). For
/// 8.6, 8.9 and 12.0 the table has the rate of workstation and data centre cards; gaming cards have half of
/// it.
constexpr double tensor_operations_per_clock(int major, int minor, TensorKind kind) {
    struct Entry {
        int major, minor;
        double per_clock[2];  // by TensorKind
    };
    constexpr Entry kTable[] = {{8, 0, {1024, 128}},
                                {8, 6, {512, 0}},
                                {8, 9, {512, 0}},
                                {9, 0, {2048, 256}},
                                {10, 0, {4096, 128}},
                                {12, 0, {512, 0}}};
    for (const Entry& entry : kTable)
        if (entry.major == major && entry.minor == minor) return entry.per_clock[int(kind)];
    return 0;
}

}  // namespace stencil

namespace stencil::matmul {

/// C (m x n) = A (m x k) B (k x n), all row-major without padding.
struct MatmulShape {
    std::int64_t m = 0;
    std::int64_t k = 0;
    std::int64_t n = 0;

    /// Counts a multiplication and an addition per term.
    double operations() const { return 2.0 * double(m) * double(k) * double(n); }
};

enum class MatmulMethod {
    naive,        ///< one thread per element of C, which reads its factors from global memory
    shared_tile,  ///< the tutorial's: tiles of 16x16 elements of C, with factors in shared memory
    library,      ///< cuBLAS
    tf32,         ///< cuBLAS on the tensor cores, with reduced precision
};

/// The arguments of a product; all pointers are to device memory.
template <class T>
struct MatmulCall {
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;
    T* sums = nullptr;  ///< n column sums of C
    MatmulShape shape = {};
};

/// Whether the method supports T, float or double.
template <class T>
constexpr bool has_matmul(MatmulMethod method) {
    return sizeof(T) == 4 || method < MatmulMethod::tf32;
}

/// Enqueues a product and its sums on the stream. Every call gives the same bits. Throws CudaError.
template <class T>
using CudaMatmul = std::function<void(const MatmulCall<T>& call)>;

/// Allocates what products of this shape need beside their matrices. The stream must outlive it. Throws
/// CudaError and MissingLibrary.
template <class T>
CudaMatmul<T> make_cuda_matmul(MatmulMethod method, const MatmulShape& shape, CudaStream& stream);

/// Maximum clock rate of the current device's multiprocessors, in Hz. Throws CudaError.
double cuda_clock_rate();

/// Enqueues filling the memory with values that are NaN in either precision.
void cuda_poison(void* memory, std::size_t bytes, CudaStream& stream);

}  // namespace stencil::matmul
