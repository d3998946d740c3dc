// 6. Spill.
// The result is right. Each thread makes 16 cells of a column and loads all that it needs first.
// __launch_bounds__(256, 8) asks for eight blocks of 256 threads on a multiprocessor at once, which leaves
// each thread 32 of the 65536 registers.
//
// To find: what no longer fits into them, so that the compiler keeps it in (slow) local memory.
//
//     stencilscope learn 6 --check FILE.cu
//
// stencilscope: block 32x8, tile 32x128

constexpr int kRows = 16;

// The value at (x, y), which may lie outside of the field: tiles at its ends stick out.
__device__ real value_at(const real* u, Size size, int x, int y) {
    if (boundary == Boundary::zero) {
        if (x < 0 || y < 0 || x >= size.nx || y >= size.ny) return 0;
    } else if (boundary == Boundary::periodic) {
        x = x < 0 ? size.nx - 1 : x % size.nx;
        y = y < 0 ? size.ny - 1 : y % size.ny;
    } else {  // insulated: what lies outside equals the cell at the edge
        x = x < 0 ? 0 : x >= size.nx ? size.nx - 1 : x;
        y = y < 0 ? 0 : y >= size.ny ? size.ny - 1 : y;
    }
    return u[y * size.pitch + x];
}

extern "C" __global__ void __launch_bounds__(256, 8) step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * kRows;
    if (x >= size.nx) return;
    const real* u = from.u;
    real west[kRows], middle[kRows + 2], east[kRows];
#pragma unroll
    for (int r = 0; r < kRows + 2; ++r) middle[r] = value_at(u, size, x, y0 + r - 1);
#pragma unroll
    for (int r = 0; r < kRows; ++r) west[r] = value_at(u, size, x - 1, y0 + r);
#pragma unroll
    for (int r = 0; r < kRows; ++r) east[r] = value_at(u, size, x + 1, y0 + r);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        const real around = middle[r] + middle[r + 2] + west[r] + east[r];
        if (y0 + r < size.ny)
            to.u[(y0 + r) * size.pitch + x] = middle[r + 1] + p.c * (around - 4 * middle[r + 1]);
    }
}
