// 9. Int overflow.
// Right on every field that fits into a test. An int ends at 2147483647, and a GPU of today holds fields
// of more cells.
//
// To find: the numbers that are more than that on a field of 60000 x 60000 cells.
//
//     stencilscope learn 9 --check FILE.cu
//
// stencilscope: block 32x8

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
    const int i = y * size.pitch + x;
    return u[i];
}

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;
    const real* u = from.u;
    const real center = value_at(u, size, x, y);
    const real around = value_at(u, size, x, y - 1) + value_at(u, size, x, y + 1) +
                        value_at(u, size, x - 1, y) + value_at(u, size, x + 1, y);
    const int i = y * size.pitch + x;
    to.u[i] = center + p.c * (around - 4 * center);
}
