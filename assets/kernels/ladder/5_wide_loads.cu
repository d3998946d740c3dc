// Rung 5 of 8: sixteen bytes at once
//
// New: a thread has four neighbouring columns, in 4 rows. One instruction loads four floats. Of the four
//   cells of a row the inner neighbours are the thread's own; shared memory carries only its first and last
//   cell to the threads beside it.
// Expect: faster than rung 4, unless that already copies at full speed. A thread has 16 new cells under way,
//   a warp reads a row in accesses of 512 bytes, and 16 cells take 6 loads and 4 stores, where rung 4 takes
//   20 and 16. Shared memory: 2 words written and 2 read for four cells, not 4 and 8.
// Limit: close to memory itself. One step reads and writes each cell once, 8 bytes in float32, so no kernel
//   that makes one step can be faster than a copy of the field.
//
// Exercises
//   1. The tile begins at columns that are multiples of 128. Add 1 to x: what does the check say about it?
//   2. In float64 four cells are 32 bytes. Compare the gain over rung 4 in both precisions: --dtype float64.
//
//     stencilscope bench --kernel 5_wide_loads.cu --size 2000
//
// stencilscope: block 32x4, tile 128x16

constexpr int kRows = 4;  // of a thread
constexpr int kThreads = launch::block_x;
static_assert(launch::tile_x == 4 * kThreads && launch::tile_y == kRows * launch::block_y, "4 x kRows each");

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

// Four cells of a row. Aligned to 16 bytes, so that they are loaded at once (doubles: in two loads).
struct alignas(16) Four {
    real v[4];
};

// Loads four columns from (x, y) on. Inner threads take one branch, so that all loads are under way together.
template <int kCount>
__device__ void load_rows(Four (&rows)[kCount], const real* u, Size size, int x, int y) {
    if (y >= 0 && y + kCount <= size.ny && x + 4 <= size.nx) {
#pragma unroll
        for (int i = 0; i < kCount; ++i)
            rows[i] = *reinterpret_cast<const Four*>(u + (y + i) * size.pitch + x);
        return;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) rows[i].v[j] = value_at(u, size, x + j, y + i);
}

__device__ void store_four(real* u, Size size, int x, int y, const Four& four) {
    if (y >= size.ny) return;
    if (x + 4 <= size.nx)
        *reinterpret_cast<Four*>(u + y * size.pitch + x) = four;
    else
        for (int i = 0; x + i < size.nx; ++i) u[y * size.pitch + x + i] = four.v[i];
}

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    __shared__ real firsts[launch::tile_y][kThreads + 2], lasts[launch::tile_y][kThreads + 2];
    const int row = threadIdx.y * kRows;
    const int x = blockIdx.x * launch::tile_x + 4 * threadIdx.x;
    const int y = blockIdx.y * launch::tile_y + row;
    const int tx = threadIdx.x + 1;

    Four column[kRows + 2];
    load_rows(column, from.u, size, x, y - 1);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        firsts[row + i][tx] = column[i + 1].v[0];
        lasts[row + i][tx] = column[i + 1].v[3];
        if (tx == 1) lasts[row + i][0] = value_at(from.u, size, x - 1, y + i);
        if (tx == kThreads) firsts[row + i][kThreads + 1] = value_at(from.u, size, x + 4, y + i);
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const Four &north = column[i], &u = column[i + 1], &south = column[i + 2];
        const real west = lasts[row + i][tx - 1], east = firsts[row + i][tx + 1];
        Four made;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const real left = j > 0 ? u.v[j - 1] : west, right = j < 3 ? u.v[j + 1] : east;
            made.v[j] = u.v[j] + p.c * (north.v[j] + south.v[j] + left + right - 4 * u.v[j]);
        }
        store_four(to.u, size, x, y + i, made);
    }
}
