// Launch grids that cover a field.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/field/divide.h"

namespace stencil {

/// CUDA allows 65535 blocks along y; rows of blocks beyond this many continue along z.
inline constexpr int kMaxBlocksY = 32768;

/// A grid of blocks of `width` x `height` cells that covers nx x ny cells.
inline dim3 grid_over(int nx, int ny, int width, int height) {
    const int columns = ceil_div(nx, width);
    const int rows = ceil_div(ny, height);
    const int layers = ceil_div(rows, kMaxBlocksY);
    return dim3(unsigned(columns), unsigned(std::min(rows, kMaxBlocksY)), unsigned(layers));
}

/// This block's coordinates in such a grid.
__device__ inline int block_column() {
    return int(blockIdx.x);
}
__device__ inline int block_row() {
    return int(blockIdx.z * kMaxBlocksY + blockIdx.y);
}

}  // namespace stencil
