// Rung 1 of 8: a thread for each cell
//
// New: one step of diffusion as a kernel. Each thread updates one cell of the old field,
//   u + c (north + south + west + east - 4 u), and writes it into the new one. No thread waits for another.
// Expect: right results at the lowest speed of all rungs. threadIdx.x counts rows here, as i does in u(i, j).
//   The 32 threads of a warp, which run together, then load from 32 different rows. Memory comes in sectors
//   of 32 bytes, so each load of a warp takes 32 sectors and uses 4 of the 32 bytes of each (float32).
// Limit: the number of requests. Five loads and a store are 6 x 32 = 192 sectors for the 32 cells of a warp.
//   The L1 cache keeps what a load did not use for other warps, so memory moves less than that, but the
//   caches still serve each sector.
//
// Exercises
//   1. Let threadIdx.x count columns: in the lines marked (*) and in the tile. Rung 2 is the answer.
//   2. Remove the `return`, and let the check tell you which cells are written that do not exist.
//
//     stencilscope bench --kernel 1_naive.cu --size 2000
//
// stencilscope: block 32x8, tile 8x32

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
    const int x = blockIdx.x * launch::tile_x + threadIdx.y;  // (*)
    const int y = blockIdx.y * launch::tile_y + threadIdx.x;  // (*)
    if (x >= size.nx || y >= size.ny) return;  // blocks at the far edges reach beyond the field

    const real center = value_at(from.u, size, x, y);
    const real north = value_at(from.u, size, x, y - 1);
    const real south = value_at(from.u, size, x, y + 1);
    const real west = value_at(from.u, size, x - 1, y);
    const real east = value_at(from.u, size, x + 1, y);
    to.u[y * size.pitch + x] = center + p.c * (north + south + west + east - 4 * center);
}
