// Sums along any axis and products of strided arrays, on the device.
#pragma once

#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/einsum/arithmetic.h"

namespace stencil::einsum {

/// Bytes of scratch memory that enqueue_strided_sums() takes.
template <class T>
std::size_t strided_sums_bytes(const SumShape& shape);

/// EinsumArithmetic::sum() for all that is no matrix with contiguous rows and long columns.
template <class T>
void enqueue_strided_sums(
    CudaStream& stream, const SumShape& shape, const T* a, const T* weights, T* out, void* scratch);

/// EinsumArithmetic::multiply().
template <class T>
void enqueue_strided_product(CudaStream& stream, const ProductShape& shape, const T* a, const T* b, T* out);

}  // namespace stencil::einsum
