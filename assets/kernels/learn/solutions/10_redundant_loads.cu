// 10. Redundant loads, mended.
// A cell is the south of the row above, then the center, then the north of the row below: loaded once, and
// handed on. The compiler may not do so itself, as it does not know that `to` is other memory than `from`.
//
//     stencilscope learn 10 --check FILE.cu
//
// stencilscope: block 32x4, tile 32x32

constexpr int kRows = 8;

// The value at (x, y), which may lie one cell outside of the field.
__device__ real value_at(const real* u, Size size, int x, int y) {
    if (boundary == Boundary::zero) {
        if (x < 0 || y < 0 || x >= size.nx || y >= size.ny) return 0;
    } else if (boundary == Boundary::periodic) {
        x = x < 0 ? size.nx - 1 : x >= size.nx ? 0 : x;
        y = y < 0 ? size.ny - 1 : y >= size.ny ? 0 : y;
    } else {  // insulated: what lies outside equals the cell at the edge
        x = x < 0 ? 0 : x >= size.nx ? size.nx - 1 : x;
        y = y < 0 ? 0 : y >= size.ny ? size.ny - 1 : y;
    }
    return u[y * size.pitch + x];
}

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
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
