// Launch shapes that cover a field of any size.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

namespace stencil {

/// The most blocks that a grid may have along y; kernels walk on by whole grids beyond it.
inline constexpr int kMostBlocksY = 65535;

/// Blocks of `width` x `height` cells over nx x ny cells.
inline dim3 grid_over(int nx, int ny, int width, int height) {
    return dim3(unsigned((nx + width - 1) / width),
                unsigned(std::min((ny + height - 1) / height, kMostBlocksY)));
}

}  // namespace stencil
