// Matrix products on the CPU, by OpenBLAS.
#pragma once

#include <functional>

#include "kernels/examples/matmul/matmul_shape.h"

namespace stencil::matmul {

template <class T>
struct CpuMatmulCall {
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;  ///< overwritten
    MatmulShape shape;
};

/// C = A B on the given number of threads. It is worked out in panels of rows that take some tenths of a
/// second each; `pause` is called after each of them with the share that is done, and may throw. T is float
/// or double.
template <class T>
void cpu_matmul(const CpuMatmulCall<T>& call, int threads, const std::function<void(double)>& pause);

}  // namespace stencil::matmul
