// Rung 4 of 8: several rows of a column in registers
//
// New: a thread has 8 cells below each other. It loads them, with one above and one below, into registers, so
//   north and south need no shared memory; only west and east are other threads' cells. In three dimensions
//   this is 2.5D blocking (Nguyen et al., SC 2010): two in shared memory, the third in registers.
// Expect: faster than rung 3. The 10 loads of a thread do not depend on each other, so all are under way
//   before the first is needed: 8 new cells for each thread, where rung 2 waits for 1. Shared memory is read
//   twice for a cell, not five times, and the address of a cell is that of the one above plus a row.
// Limit: a thread still asks for 4 bytes at a time, and each load is an instruction with an address. The row
//   above and below of each thread are loaded twice (10 loads for 8 cells), the second time from L1.
//
// Exercises
//   1. Try 4 and 16 rows (kRows, and the tile: 64 x 4 kRows). What do registers and occupancy do?
//   2. Leave shared memory out: read west and east by value_at(). It saves a barrier. Does it cost more?
//
//     stencilscope bench --kernel 4_rows_in_registers.cu --size 2000
//
// stencilscope: block 64x4, tile 64x32

constexpr int kRows = 8;  // of a thread
constexpr int kWidth = launch::tile_x, kHeight = launch::tile_y;
static_assert(kHeight == kRows * launch::block_y, "the tile has kRows rows for each row of threads");

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
    __shared__ real tile[kHeight][kWidth + 2];  // a halo left and right only
    const int first = threadIdx.y * kRows;      // of this thread's rows in the tile
    const int x = blockIdx.x * kWidth + threadIdx.x;
    const int y = blockIdx.y * kHeight + first;
    const int tx = threadIdx.x + 1;

    real column[kRows + 2];  // unrolled loops make the indices constants, so this is in registers
#pragma unroll
    for (int i = 0; i < kRows + 2; ++i) column[i] = value_at(from.u, size, x, y + i - 1);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        tile[first + i][tx] = column[i + 1];
        if (tx == 1) tile[first + i][0] = value_at(from.u, size, x - 1, y + i);
        if (tx == kWidth) tile[first + i][kWidth + 1] = value_at(from.u, size, x + 1, y + i);
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        if (x >= size.nx || y + i >= size.ny) break;
        const real center = column[i + 1];
        const real west = tile[first + i][tx - 1], east = tile[first + i][tx + 1];
        to.u[(y + i) * size.pitch + x] =
            center + p.c * (column[i] + column[i + 2] + west + east - 4 * center);
    }
}
