// Rung 6 of 8: shuffles in place of shared memory
//
// New: a lane of a warp reads a register of another lane by __shfl_up_sync and __shfl_down_sync. West and
//   east come that way, so there is no shared memory and no barrier: each warp works for itself.
// Expect: a little faster than rung 5, or the same where that already copies at full speed. A warp that has
//   its rows goes on, however late those of the other warps are. Two shuffles for a row of 128 cells replace
//   two writes to and two reads from shared memory.
// Limit: memory, as in rung 5. The method `tiled` of this program has the same parts. What is beyond can only
//   be reached by reading memory less often than once for each step: rungs 7 and 8.
//
// Exercises
//   1. Return early where y >= size.ny, before the loop. Right or wrong? And where x >= size.nx?
//   2. Try 2 and 8 rows (kRows, and the tile: 128 x 4 kRows). How many loads is that for 16 cells?
//
//     stencilscope bench --kernel 6_shuffles.cu --size 2000
//
// stencilscope: block 32x4, tile 128x16

constexpr int kRows = 4;  // of a thread
static_assert(launch::block_x == 32, "a row of threads is a warp");
static_assert(launch::tile_x == 4 * 32 && launch::tile_y == kRows * launch::block_y, "4 x kRows each");
constexpr unsigned kAll = 0xffffffff;  // all lanes take part

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
    const int lane = threadIdx.x;
    const int x = blockIdx.x * launch::tile_x + 4 * lane;
    const int y = blockIdx.y * launch::tile_y + kRows * threadIdx.y;

    Four column[kRows + 2];
    load_rows(column, from.u, size, x, y - 1);
    // The first and the last lane also load the cell beside the warp's 128.
    real beside[kRows] = {};
    if (lane == 0 || lane == 31)
#pragma unroll
        for (int i = 0; i < kRows; ++i) beside[i] = value_at(from.u, size, lane == 0 ? x - 1 : x + 4, y + i);

#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const Four &north = column[i], &u = column[i + 1], &south = column[i + 2];
        real west = __shfl_up_sync(kAll, u.v[3], 1);    // of the lane before
        real east = __shfl_down_sync(kAll, u.v[0], 1);  // of the lane after
        if (lane == 0) west = beside[i];
        if (lane == 31) east = beside[i];
        Four made;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const real left = j > 0 ? u.v[j - 1] : west, right = j < 3 ? u.v[j + 1] : east;
            made.v[j] = u.v[j] + p.c * (north.v[j] + south.v[j] + left + right - 4 * u.v[j]);
        }
        store_four(to.u, size, x, y + i, made);
    }
}
