// Rung 3 of 8: a tile in shared memory
//
// New: the threads of a block load their tile and its halo, the cells around it, into shared memory. Each
//   cell then comes from global memory once and not five times. __syncthreads() is a barrier: no thread reads
//   the tile before all have written their part of it.
// Expect: about the speed of rung 2, or less. The L1 cache already served the neighbours there, and now all
//   threads of a block wait for its slowest load. A tile pays when it is used again (rung 7). Its shape
//   decides what it costs; float32, halo without corners:
//
//       tile     cells   loaded          sectors of 32 bytes   reading the tile
//       8 x 8       64     96 (1.50)     26 for 8 (3.25)       a warp reads 4 rows: 2 lanes in one bank
//       32 x 8     256    336 (1.31)     56 for 32 (1.75)      a warp reads 1 row: no bank conflict
//       64 x 16   1024   1184 (1.16)     176 for 128 (1.38)    the same
//
//   A wide tile is cheaper than a high one, because the one cell left and right of a row costs a whole sector
//   each. Shared memory has 32 banks of 4 bytes; lanes of a warp that use different words of one bank take
//   turns. In rows of 10 cells (8 x 8) the fourth row begins at bank 30 and reaches banks 0 to 5 again.
// Limit: bytes under way, as in rung 2, and the barrier. A block of 1024 threads is alone on a multiprocessor
//   with 1536 threads (compute capability 8.6, 8.9, 12.0): nobody computes while it waits.
//
// Exercises
//   1. `bench --ladder` runs all three shapes. Which is fastest on your GPU, and which would you expect?
//   2. Remove the barrier. How does the check notice? Why are most cells still right?
//
//     stencilscope bench --kernel 3_shared_tile.cu --size 2000
//
// stencilscope: block 64x16, also 32x8 8x8

constexpr int kWidth = launch::block_x, kHeight = launch::block_y;

// The value at (x, y); beside the field it is the ghost cell that the boundary asks for.
__device__ real value_at(const real* u, Size size, int x, int y) {
    if (boundary == Boundary::periodic) {
        x = x < 0 ? size.nx - 1 : x >= size.nx ? 0 : x;
        y = y < 0 ? size.ny - 1 : y >= size.ny ? 0 : y;
    } else if (boundary == Boundary::insulated) {
        x = x < 0 ? 0 : x >= size.nx ? size.nx - 1 : x;
        y = y < 0 ? 0 : y >= size.ny ? size.ny - 1 : y;
    } else if (x < 0 || y < 0 || x >= size.nx || y >= size.ny) {
        return 0;
    }
    return u[y * size.pitch + x];
}

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    __shared__ real tile[kHeight + 2][kWidth + 2];
    const int x = blockIdx.x * kWidth + threadIdx.x;
    const int y = blockIdx.y * kHeight + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;  // place in the tile

    // Threads beyond the far edges load too: the first of them has the ghost cell.
    tile[ty][tx] = value_at(from.u, size, x, y);
    if (tx == 1) tile[ty][0] = value_at(from.u, size, x - 1, y);
    if (tx == kWidth) tile[ty][kWidth + 1] = value_at(from.u, size, x + 1, y);
    if (ty == 1) tile[0][tx] = value_at(from.u, size, x, y - 1);
    if (ty == kHeight) tile[kHeight + 1][tx] = value_at(from.u, size, x, y + 1);
    __syncthreads();  // by all threads, so none may return before it
    if (x >= size.nx || y >= size.ny) return;

    const real center = tile[ty][tx];
    const real around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
    to.u[y * size.pitch + x] = center + p.c * (around - 4 * center);
}
