// Rung 7 of 8: several steps in a tile
//
// New: a block loads its tile with a ghost zone of 4 cells on each side and makes up to 4 steps in shared
//   memory before it writes the tile back. After each step the outermost ring of cells is worth nothing,
//   because its neighbours are not there; after 4 steps just the tile is right. Each block computes its own
//   ghost zone, so none waits for another: overlapped tiling (Holewinski et al., ICS 2012).
// Expect: beyond the speed of a copy at one step. A block reads 64 x 48 cells for the 56 x 40 that it writes,
//   1.37 for 1. Four steps move 4 x 1.37 + 4 bytes for a cell instead of 4 x 8: 30 %, so memory allows 3.4
//   times the speed. For it the block computes 62 x 46 + 60 x 44 + 58 x 42 + 56 x 40 cells, 1.13 for 1.
// Limit: shared memory. A step reads 5 words and writes 1 for a cell: 6.8 with the ghost zone, and 7.4 with
//   the loading and storing of the tile. A multiprocessor moves 32 words in a clock: at most 4.3 cells.
//
// Exercises
//   1. Try 2 and 8 steps, with tiles so that the zone stays 64 wide. Which part of the count grows?
//   2. Keep a column of the tile in registers between the steps, as rung 4 does: 3 of the 5 reads go.
//
//     stencilscope bench --kernel 7_ghost_zone.cu --size 2000
//
// stencilscope: block 64x8, tile 56x40, steps 4

constexpr int kSteps = launch::steps;
constexpr int kWidth = launch::tile_x + 2 * kSteps, kHeight = launch::tile_y + 2 * kSteps;
constexpr int kRows = kHeight / launch::block_y;  // of a thread, launch::block_y apart
static_assert(kWidth == launch::block_x && kHeight % launch::block_y == 0, "the block covers the zone");

// The index of the cell that is seen at index i, which may lie several cells outside; -1: outside is 0.
__device__ int source(int i, int n) {
    while (i < 0 || i >= n) {
        if (boundary == Boundary::periodic)
            i += i < 0 ? n : -n;
        else if (boundary == Boundary::insulated)
            i = i < 0 ? -1 - i : n - 1 - (i - n);  // mirrored at the edge: 1 0 | 0 1 2
        else
            return -1;
    }
    return i;
}

// Makes n steps, 1 <= n <= 4.
extern "C" __global__ void steps(From from, To to, Size size, Parameters p, int n) {
    __shared__ real tile[2][kHeight][kWidth];
    const int tx = threadIdx.x;
    const int x0 = blockIdx.x * launch::tile_x - kSteps, y0 = blockIdx.y * launch::tile_y - kSteps;
    const int x = x0 + tx, y = y0 + threadIdx.y;

    // Inner tiles take one branch, so that all loads of a thread are under way together.
    real loaded[kRows];
    if (x0 >= 0 && y0 >= 0 && x0 + kWidth <= size.nx && y0 + kHeight <= size.ny) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) loaded[i] = from.u[(y + i * launch::block_y) * size.pitch + x];
    } else {
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const int column = source(x, size.nx), row = source(y + i * launch::block_y, size.ny);
            loaded[i] = column < 0 || row < 0 ? 0 : from.u[row * size.pitch + column];
        }
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) tile[0][threadIdx.y + i * launch::block_y][tx] = loaded[i];
    __syncthreads();

    for (int step = 1; step <= n; ++step) {
        const auto& u = tile[(step - 1) % 2];
        // What is right after this step: `step` cells less on each side.
        const bool here = tx >= step && tx < kWidth - step;
        for (int ty = threadIdx.y; ty < kHeight; ty += launch::block_y) {
            if (!here || ty < step || ty >= kHeight - step) continue;
            const int row = y0 + ty;
            const bool inside = x >= 0 && x < size.nx && row >= 0 && row < size.ny;
            const real around = u[ty - 1][tx] + u[ty + 1][tx] + u[ty][tx - 1] + u[ty][tx + 1];
            const real stepped = u[ty][tx] + p.c * (around - 4 * u[ty][tx]);
            // Mirrored and wrapped cells step like those that they mirror; zeros outside stay zeros.
            tile[step % 2][ty][tx] = boundary == Boundary::zero && !inside ? 0 : stepped;
        }
        __syncthreads();
    }

    for (int ty = threadIdx.y + kSteps; ty < kHeight - kSteps; ty += launch::block_y)
        if (tx >= kSteps && tx < kWidth - kSteps && x < size.nx && y0 + ty < size.ny)
            to.u[(y0 + ty) * size.pitch + x] = tile[n % 2][ty][tx];
}
