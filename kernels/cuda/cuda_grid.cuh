// Launch grids that cover a field.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/field/divide.h"

namespace stencil {

/// The facts of the current device. Throws CudaError.
inline GpuFacts current_gpu_facts() {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    return gpu_facts(device);
}

/// Multiprocessors of the current device. Throws CudaError.
inline int multiprocessors() {
    return current_gpu_facts().multiprocessors;
}

/// CUDA allows 65535 blocks along y; rows of blocks beyond this many continue along z.
inline constexpr int kMaxBlocksY = 32768;

/// A grid of blocks of `width` x `height` cells that covers nx x ny cells.
inline dim3 grid_over(int nx, int ny, int width, int height) {
    const int columns = ceil_div(nx, width);
    const int rows = ceil_div(ny, height);
    const int layers = ceil_div(rows, kMaxBlocksY);
    return dim3(unsigned(columns), unsigned(std::min(rows, kMaxBlocksY)), unsigned(layers));
}

/// Such a grid for several fields at once, a layer of blocks each.
inline dim3 grid_over(int nx, int ny, int width, int height, int fields) {
    dim3 grid = grid_over(nx, ny, width, height);
    if (fields == 1) return grid;
    if (grid.z > 1) throw CudaError("fields of so many rows cannot go together");
    grid.z = unsigned(fields);
    return grid;
}

/// This block's coordinates in such a grid.
__device__ inline int block_column() {
    return int(blockIdx.x);
}

__device__ inline int block_row() {
    return int(blockIdx.z * kMaxBlocksY + blockIdx.y);
}

/// In a grid for several fields block_row(fields) is this block's row, and block_field() is the number of its
/// field.
__device__ inline int block_row(int fields) {
    return fields > 1 ? int(blockIdx.y) : block_row();
}
__device__ inline int block_field(int fields) {
    return fields > 1 ? int(blockIdx.z) : 0;
}

}  // namespace stencil
