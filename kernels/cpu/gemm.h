// Matrix products by OpenBLAS.
#pragma once

#include <cstdint>

namespace stencil {

/// A row-major matrix with rows `leading` elements apart; with `transposed`, the product uses its transpose.
template <class T>
struct GemmFactor {
    const T* values = nullptr;
    std::int64_t leading = 1;
    bool transposed = false;
};

/// C (m x n) = A (m x k) B (k x n), with C row-major. Sizes are below 2^31. T is float or double.
template <class T>
struct GemmCall {
    std::int64_t m = 0, k = 0, n = 0;
    GemmFactor<T> a, b;
    T* c = nullptr;
    std::int64_t c_leading = 1;
};

void gemm(const GemmCall<float>& call);
void gemm(const GemmCall<double>& call);

void set_gemm_threads(int threads);

}  // namespace stencil
