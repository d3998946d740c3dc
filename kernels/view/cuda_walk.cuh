// Iteration over all cells of a field for reductions of a quantity.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/view/column_reader.cuh"

namespace stencil {

inline constexpr int kWalkThreads = 256;  ///< per block
inline constexpr int kWalkWidth = 64;     ///< threads side by side, fewer on narrow fields
inline constexpr int kWalkColumns = 4;    ///< columns per thread
inline constexpr int kWalkRows = 16;      ///< rows per thread and tile
inline constexpr int kWalkAtOnce = 4;     ///< unrolled rows, for several loads in flight
inline constexpr int kWalkBlocks =
    2112;  ///< at most; the same on every device, so that sums have the same bits

struct WalkShape {
    dim3 grid;
    dim3 block;  ///< kWalkThreads in total
    int blocks() const { return int(grid.x * grid.y); }
};

inline WalkShape walk_over(int nx, int ny) {
    int width = 1;
    while (width < kWalkWidth && width * kWalkColumns < nx) width *= 2;
    const int height = kWalkThreads / width;
    const int columns = (nx - 1) / (width * kWalkColumns) + 1;
    const int rows = (ny - 1) / (height * kWalkRows) + 1;
    const int across = std::min(columns, kWalkBlocks);
    const int down = std::min(rows, std::max(kWalkBlocks / across, 1));
    return {dim3(unsigned(across), unsigned(down)), dim3(unsigned(width), unsigned(height))};
}

/// The linear index of this thread in its block.
__device__ inline int walk_thread() {
    return int(threadIdx.y * blockDim.x + threadIdx.x);
}

/// A thread's cells in one tile: columns x, x + stride, ... and kWalkRows rows from y on.
struct WalkTile {
    int x, y, stride;
};

template <Quantity Q, class T, class F>
__device__ void for_whole_tile(const QuantitySource<T>& source, const WalkTile& tile, F&& f) {
    ColumnReader<Q, true, T> columns[kWalkColumns] = {{source, tile.x, tile.y},
                                                      {source, tile.x + tile.stride, tile.y},
                                                      {source, tile.x + 2 * tile.stride, tile.y},
                                                      {source, tile.x + 3 * tile.stride, tile.y}};
    static_assert(kWalkColumns == 4 && kWalkRows % kWalkAtOnce == 0);
    for (int row = 0; row < kWalkRows; row += kWalkAtOnce) {
        QuantityValue<Q, T> values[kWalkAtOnce][kWalkColumns];
#pragma unroll
        for (int i = 0; i < kWalkAtOnce; ++i)
#pragma unroll
            for (int k = 0; k < kWalkColumns; ++k) values[i][k] = columns[k].at(tile.y + row + i);
#pragma unroll
        for (int i = 0; i < kWalkAtOnce; ++i)
#pragma unroll
            for (int k = 0; k < kWalkColumns; ++k) f(values[i][k]);
    }
}

template <Quantity Q, class T, class F>
__device__ void for_part_of_tile(const QuantitySource<T>& source, const WalkTile& tile, F&& f) {
    const int end = min(tile.y + kWalkRows, source.field.ny());
    for (int y = tile.y; y < end; ++y) {
        QuantityValue<Q, T> values[kWalkColumns];
#pragma unroll
        for (int k = 0; k < kWalkColumns; ++k) {
            const int x = tile.x + k * tile.stride;
            values[k] = x < source.field.nx() ? quantity_at<Q>(source, x, y) : QuantityValue<Q, T>(NAN);
        }
#pragma unroll
        for (int k = 0; k < kWalkColumns; ++k) f(values[k]);
    }
}

/// Calls f with this thread's share of the cells' values, and with NaN outside of the field. The launch must
/// be that of walk_over().
template <Quantity Q, class T, class F>
__device__ void for_cells(const QuantitySource<T>& source, F&& f) {
    const int nx = source.field.nx();
    const int ny = source.field.ny();
    const int rim = Q == Quantity::laplacian ? 1 : 0;
    const int stride = int(blockDim.x);
    const int width = stride * kWalkColumns;
    const int height = int(blockDim.y) * kWalkRows;
    for (int top = int(blockIdx.y) * height; top < ny; top += int(gridDim.y) * height)
        for (int left = int(blockIdx.x) * width; left < nx; left += int(gridDim.x) * width) {
            const WalkTile tile{left + int(threadIdx.x), top + int(threadIdx.y) * kWalkRows, stride};
            const bool inner =
                left >= rim && left + width + rim <= nx && top >= rim && top + height + rim <= ny;
            if (inner)
                for_whole_tile<Q>(source, tile, f);
            else
                for_part_of_tile<Q>(source, tile, f);
        }
}

}  // namespace stencil
