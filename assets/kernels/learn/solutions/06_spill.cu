// 6. Spill, mended.
// A thread that walks down its column needs only the row above, its own and the one below. The other way
// out, fewer threads with more registers each, costs warps that hide the latency.
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
    real north = value_at(u, size, x, y0 - 1), center = value_at(u, size, x, y0);
    for (int y = y0; y < y0 + kRows && y < size.ny; ++y) {
        const real south = value_at(u, size, x, y + 1);
        const real around = north + south + value_at(u, size, x - 1, y) + value_at(u, size, x + 1, y);
        to.u[y * size.pitch + x] = center + p.c * (around - 4 * center);
        north = center, center = south;
    }
}
