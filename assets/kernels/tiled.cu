// A block of 32x8 threads updates a tile of 32x32 cells, four rows per thread. It first loads the tile and
// its halo into shared memory, so that each cell comes from global memory once and not five times.
//
//     stencilscope bench --kernel tiled.cu
//
// stencilscope: block 32x8, tile 32x32

constexpr int kWidth = 32, kHeight = 32;

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    // tile[y + 1][x + 1] is the cell (x0 + x, y0 + y); the halo adds one cell on every side.
    __shared__ real tile[kHeight + 2][kWidth + 2];
    const int x0 = blockIdx.x * kWidth;
    const int y0 = blockIdx.y * kHeight;

    // All threads load the tile together. Cells outside of the field are 0.
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y;
    for (int i = thread; i < (kHeight + 2) * (kWidth + 2); i += threads) {
        const int tx = i % (kWidth + 2), ty = i / (kWidth + 2);
        const int x = x0 + tx - 1, y = y0 + ty - 1;
        const bool inside = x >= 0 && y >= 0 && x < size.nx && y < size.ny;
        tile[ty][tx] = inside ? from.u[y * size.pitch + x] : 0;
    }
    // The tile must be complete before any thread reads it. Threads without a cell take part in the barrier
    // too.
    __syncthreads();

    const int tx = threadIdx.x + 1;
    for (int ty = threadIdx.y + 1; ty <= kHeight; ty += blockDim.y) {
        const int x = x0 + tx - 1, y = y0 + ty - 1;
        if (x >= size.nx || y >= size.ny) continue;
        const real around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
        to.u[y * size.pitch + x] = tile[ty][tx] + p.c * (around - 4 * tile[ty][tx]);
    }
}
