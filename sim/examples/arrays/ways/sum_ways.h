// The ways to add up that the examples compare.
#pragma once

#include "kernels/examples/arrays/reduce.h"
#include "sim/examples/arrays/ways/sum_rows.h"

namespace stencil {

// On the CPU.
template <class T>
SumWay<T> serial_way();
template <class T>
SumWay<T> blockwise_way();
/// Sums of terms that are not negative, and dot products.
template <class T>
SumWay<T> blas_way();

// On the GPU.
template <class T>
SumWay<T> strategy_way(ReductionStrategy strategy);
/// last_block, which leaves its result where the host looks for it; as a launch, or as a CUDA graph.
template <class T>
SumWay<T> to_host_way(bool as_graph);
/// Of one array.
template <class T>
SumWay<T> cub_way();
/// Of two arrays.
template <class T>
SumWay<T> cublas_way();

}  // namespace stencil
