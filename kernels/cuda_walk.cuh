// Going through all cells of a field of any shape, a quantity at a time.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/quantity_at.h"

namespace stencil {

inline constexpr int kWalkThreads = 256;  ///< of a block
inline constexpr int kWalkCells = 8;      ///< of a thread at a time, so that many loads are on their way
inline constexpr int kWalkBlocks = 2112;  ///< at most; the same on every device, so that sums are, too

struct WalkShape {
    dim3 grid;
    dim3 block;  ///< kWalkThreads in all; narrow fields have many rows at a time
    int blocks() const { return int(grid.x * grid.y); }
};

inline WalkShape walk_over(int nx, int ny) {
    int width = 1;
    while (width < kWalkThreads && width * kWalkCells < nx) width *= 2;
    const int height = kWalkThreads / width;
    const int columns = (nx - 1) / (width * kWalkCells) + 1;
    const int rows = (ny - 1) / height + 1;
    const int across = std::min(columns, kWalkBlocks);
    const int down = std::min(rows, std::max(kWalkBlocks / across, 1));
    return {dim3(unsigned(across), unsigned(down)), dim3(unsigned(width), unsigned(height))};
}

/// This thread's place in its block.
__device__ inline int walk_thread() {
    return int(threadIdx.y * blockDim.x + threadIdx.x);
}

/// This block's place in its grid.
__device__ inline int walk_block() {
    return int(blockIdx.y * gridDim.x + blockIdx.x);
}

/// Calls f with this thread's share of the cells' values; with NaN where there is no cell. The grid and
/// blocks are those of walk_over().
template <Quantity Q, class T, class F>
__device__ void for_cells(const QuantitySource<T>& source, F&& f) {
    using V = QuantityValue<Q, T>;
    const int nx = source.state.nx;
    const int ny = source.state.ny;
    const int stride = int(blockDim.x);
    const int width = stride * kWalkCells;
    for (int y = int(blockIdx.y * blockDim.y + threadIdx.y); y < ny; y += int(gridDim.y * blockDim.y))
        for (int begin = int(blockIdx.x) * width; begin < nx; begin += int(gridDim.x) * width) {
            const int x = begin + int(threadIdx.x);
            V values[kWalkCells];
            if (begin > 0 && begin + width < nx && y > 0 && y < ny - 1) {
#pragma unroll
                for (int k = 0; k < kWalkCells; ++k)
                    values[k] = quantity_at<Q, true>(source, x + k * stride, y);
            } else {
#pragma unroll
                for (int k = 0; k < kWalkCells; ++k)
                    values[k] = x + k * stride < nx ? quantity_at<Q>(source, x + k * stride, y) : V(NAN);
            }
#pragma unroll
            for (int k = 0; k < kWalkCells; ++k) f(values[k]);
        }
}

}  // namespace stencil
