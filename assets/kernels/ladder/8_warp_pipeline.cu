// Rung 8 of 8: warps as a pipeline
//
// New: a block walks down a strip of rows, and each of its two warps makes one step. Warp 0 has the rows of
//   the old field, keeps the last two in registers, and hands each row that it has stepped to warp 1 through
//   a ring in shared memory. Warp 1 does the same with those and writes them: two time levels at a time.
// Expect: fewer instructions for a cell than rung 7. A cell passes shared memory once between two steps, as
//   part of 16 bytes, instead of 6 times; north and south are registers, west and east shuffles. A block
//   reads 128 x 64 cells for 120 x 60, so two steps move 4 x 1.14 + 4 bytes for a cell: 53 % of 2 x 8, and
//   memory allows 1.9 times the speed of a copy.
// Limit: memory still, for two steps a pass; whether it beats rung 7 is for you to measure. With more warps
//   it is the idea of `streaming` (kernels/methods/streaming): 16 steps a pass, and loads that run ahead.
//
// Exercises
//   1. Make it four levels: block 32x4, tile 120x60, steps 4. How many bytes does a cell move now?
//   2. A barrier for each batch of kRows rows: try 1, 2 and 8. What do larger batches cost?
//
//     stencilscope bench --kernel 8_warp_pipeline.cu --size 2000
//
// stencilscope: block 32x2, tile 120x60, steps 2

constexpr int kLevels = launch::steps;  // a warp each
constexpr int kRows = 4;                // between two barriers
constexpr int kBatches = (launch::tile_y + 2 * kLevels + kRows - 1) / kRows;
constexpr unsigned kAll = 0xffffffff;
static_assert(launch::block_x == 32 && launch::block_y == kLevels, "a warp for each step");
static_assert(launch::tile_x == 30 * 4 && kLevels <= 4, "a lane left and right has the ghost zone, 4 cells");

struct alignas(16) Four {
    real v[4];
};

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

// Loads four columns from (x, y) on; see rung 5.
__device__ void load_rows(Four (&rows)[kRows], const real* u, Size size, int x, int y) {
    if (y >= 0 && y + kRows <= size.ny && x >= 0 && x + 4 <= size.nx) {
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            rows[i] = *reinterpret_cast<const Four*>(u + (y + i) * size.pitch + x);
        return;
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int column = source(x + j, size.nx), row = source(y + i, size.ny);
            rows[i].v[j] = column < 0 || row < 0 ? 0 : u[row * size.pitch + column];
        }
}

__device__ void store_four(real* u, Size size, int x, int y, const Four& four) {
    if (x + 4 <= size.nx)
        *reinterpret_cast<Four*>(u + y * size.pitch + x) = four;
    else
        for (int i = 0; x + i < size.nx; ++i) u[y * size.pitch + x + i] = four.v[i];
}

__device__ Four stepped(const Four& north, const Four& u, const Four& south, real c) {
    const real west = __shfl_up_sync(kAll, u.v[3], 1), east = __shfl_down_sync(kAll, u.v[0], 1);
    Four made;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const real left = j > 0 ? u.v[j - 1] : west, right = j < 3 ? u.v[j + 1] : east;
        made.v[j] = u.v[j] + c * (north.v[j] + south.v[j] + left + right - 4 * u.v[j]);
    }
    return made;
}

extern "C" __global__ void steps(From from, To to, Size size, Parameters p, int n) {
    __shared__ Four ring[2][kLevels][kRows][32];  // of each level the newest batch and the one before
    const int lane = threadIdx.x, level = threadIdx.y;
    const int x = blockIdx.x * launch::tile_x + 4 * (lane - 1);
    const int y0 = blockIdx.y * launch::tile_y;
    int y = y0 - kLevels - level;  // the row that this warp gets next; it makes the one above
    Four north = {}, u = {}, ahead[kRows] = {};
    if (level == 0) load_rows(ahead, from.u, size, x, y);

    for (int turn = 0; turn < kBatches + kLevels - 1; ++turn) {
        const int batch = turn - level;  // each warp is a batch behind the one before
        if (batch >= 0 && batch < kBatches) {
#pragma unroll
            for (int i = 0; i < kRows; ++i, ++y) {
                const Four south = level == 0 ? ahead[i] : ring[turn % 2][level - 1][i][lane];
                Four made = level < n ? stepped(north, u, south, p.c) : u;
                const int row = y - 1;
                // Mirrored and wrapped cells step like those that they mirror; zeros outside stay zeros.
                if (boundary == Boundary::zero)
                    for (int j = 0; j < 4; ++j)
                        if (row < 0 || row >= size.ny || x + j < 0 || x + j >= size.nx) made.v[j] = 0;
                if (level < kLevels - 1)
                    ring[(turn + 1) % 2][level][i][lane] = made;
                else if (row >= y0 && row < y0 + launch::tile_y && row < size.ny && lane >= 1 && lane <= 30)
                    store_four(to.u, size, x, row, made);
                north = u;
                u = south;
            }
            // Loaded for the next turn, so the loads are under way during the barrier.
            if (level == 0) load_rows(ahead, from.u, size, x, y);
        }
        __syncthreads();
    }
}
