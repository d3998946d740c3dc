// 4. Uncoalesced.
// The result is right. But memory moves in sectors of 32 bytes, and the 32 threads of a warp, which have
// successive threadIdx.x, ask for their cells at once.
//
// To find: why each of these threads asks for a sector of its own, of which it uses 4 bytes.
//
//     stencilscope learn 4 --check FILE.cu
//
// stencilscope: block 32x8, tile 8x32

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
    const int x = blockIdx.x * blockDim.y + threadIdx.y;
    const int y = blockIdx.y * blockDim.x + threadIdx.x;
    if (x >= size.nx || y >= size.ny) return;
    const real* u = from.u;
    const real center = value_at(u, size, x, y);
    const real around = value_at(u, size, x, y - 1) + value_at(u, size, x, y + 1) +
                        value_at(u, size, x - 1, y) + value_at(u, size, x + 1, y);
    to.u[y * size.pitch + x] = center + p.c * (around - 4 * center);
}
