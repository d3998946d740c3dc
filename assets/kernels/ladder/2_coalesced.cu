// Rung 2 of 8: a warp reads a row
//
// New: threadIdx.x counts columns. The 32 threads of a warp now load 32 neighbouring cells of one row, which
//   the GPU coalesces into few transactions. Nothing else differs from rung 1.
// Expect: much faster, by a change of two lines. A load of 32 aligned floats is 4 sectors of 32 bytes (those
//   of west and east, shifted by a cell, are 5), a store is 4. That makes 26 sectors for the 32 cells of a
//   warp; rung 1 takes 192.
// Limit: bytes under way. By Little's law the bandwidth is the bytes that are under way divided by the time
//   that they take. Four of the five loads find their cell in a cache, where another thread brought it, so a
//   thread waits for 4 new bytes, and the 2048 threads that a multiprocessor holds at most for 8 KB.
//
// Exercises
//   1. Run it with blocks of 32x8, 128x2 and 16x16. Which of them makes a warp read two rows?
//   2. Swap only the two lines of x and y back, and not the tile. What does the check say, and why?
//
//     stencilscope bench --kernel 2_coalesced.cu --size 2000
//
// stencilscope: block 64x4

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
    const int x = blockIdx.x * launch::tile_x + threadIdx.x;
    const int y = blockIdx.y * launch::tile_y + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;  // blocks at the far edges reach beyond the field

    const real center = value_at(from.u, size, x, y);
    const real north = value_at(from.u, size, x, y - 1);
    const real south = value_at(from.u, size, x, y + 1);
    const real west = value_at(from.u, size, x - 1, y);
    const real east = value_at(from.u, size, x + 1, y);
    to.u[y * size.pitch + x] = center + p.c * (north + south + west + east - 4 * center);
}
