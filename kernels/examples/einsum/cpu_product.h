// Products of strided arrays on the CPU.
#pragma once

#include <functional>

#include "kernels/examples/einsum/arithmetic.h"

namespace stencil::einsum {

/// EinsumArithmetic::multiply(). T is float or double.
template <class T>
void cpu_strided_product(ThreadPool& threads,
                         const std::function<void()>& between,
                         const ProductShape& shape,
                         const T* a,
                         const T* b,
                         T* out);

}  // namespace stencil::einsum
