// Launch shapes that cover a field of any size.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace stencil {

/// A grid may have at most this many blocks along y; rows of blocks beyond it go on along z.
inline constexpr int kMaxBlocksY = 32768;

/// Blocks of `width` x `height` cells over nx x ny cells.
inline dim3 grid_over(int nx, int ny, int width, int height) {
    const int columns = (nx + width - 1) / width;
    const int rows = (ny + height - 1) / height;
    const int layers = (rows + kMaxBlocksY - 1) / kMaxBlocksY;
    return dim3(unsigned(columns), unsigned(std::min(rows, kMaxBlocksY)), unsigned(layers));
}

/// This block's place in such a grid.
__device__ inline int block_column() {
    return int(blockIdx.x);
}

__device__ inline int block_row() {
    return int(blockIdx.z * kMaxBlocksY + blockIdx.y);
}

}  // namespace stencil
