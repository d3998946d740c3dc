// Matrix products without tensor cores, as tutorials write them.
#pragma once

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/field/divide.h"

namespace stencil::matmul::simt {

constexpr int kTile = 16;

template <class T>
__global__ void __launch_bounds__(256) naive_kernel(MatmulCall<T> call) {
    const std::int64_t column = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t row = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= call.shape.m || column >= call.shape.n) return;
    T sum = 0;
    for (std::int64_t k = 0; k < call.shape.k; ++k)
        sum += call.a[row * call.shape.k + k] * call.b[k * call.shape.n + column];
    call.c[row * call.shape.n + column] = sum;
}

// The tutorial's, except: ceil(k / 16) steps instead of one per block of the grid, `<` for its `<=`, sums in
// T instead of float64, columns along threadIdx.x, and each element of C is written once instead of
// accumulated with atomics.
template <class T>
__global__ void __launch_bounds__(kTile* kTile) tiled_kernel(MatmulCall<T> call) {
    __shared__ T a[kTile][kTile];
    __shared__ T b[kTile][kTile];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const std::int64_t column = std::int64_t(blockIdx.x) * kTile + x;
    const std::int64_t row = std::int64_t(blockIdx.y) * kTile + y;
    const MatmulShape& s = call.shape;
    T sum = 0;
    for (std::int64_t first = 0; first < s.k; first += kTile) {
        a[y][x] = row < s.m && first + x < s.k ? call.a[row * s.k + first + x] : T(0);
        b[y][x] = first + y < s.k && column < s.n ? call.b[(first + y) * s.n + column] : T(0);
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (row < s.m && column < s.n) call.c[row * s.n + column] = sum;
}

inline dim3 blocks_for(const MatmulShape& shape, dim3 block) {
    return dim3(unsigned(ceil_div(shape.n, block.x)), unsigned(ceil_div(shape.m, block.y)));
}

template <class T>
void naive_matmul(const MatmulCall<T>& call, cudaStream_t stream) {
    const dim3 block(32, 8);
    naive_kernel<<<blocks_for(call.shape, block), block, 0, stream>>>(call);
    check_launch("naive_kernel");
}

template <class T>
void tiled_matmul(const MatmulCall<T>& call, cudaStream_t stream) {
    const dim3 block(kTile, kTile);
    tiled_kernel<<<blocks_for(call.shape, block), block, 0, stream>>>(call);
    check_launch("tiled_kernel");
}

}  // namespace stencil::matmul::simt
