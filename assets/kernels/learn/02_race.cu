// 2. Race.
// The threads of a block load a tile with its halo into shared memory together; then each makes a cell of
// it. Warps of a block run in any order.
//
// To find: what a thread may read before another one has written it.
//
//     stencilscope learn 2 --check FILE.cu
//
// stencilscope: block 32x8

constexpr int kWidth = 32, kHeight = 8;

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

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    // tile[y + 1][x + 1] is the cell (x0 + x, y0 + y); the halo adds one cell on every side.
    __shared__ real tile[kHeight + 2][kWidth + 2];
    const int x0 = blockIdx.x * kWidth, y0 = blockIdx.y * kHeight;
    const int thread = threadIdx.y * kWidth + threadIdx.x;
    for (int i = thread; i < (kHeight + 2) * (kWidth + 2); i += kWidth * kHeight) {
        const int tx = i % (kWidth + 2), ty = i / (kWidth + 2);
        tile[ty][tx] = value_at(from.u, size, x0 + tx - 1, y0 + ty - 1);
    }
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const real around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
    to.u[y * size.pitch + x] = tile[ty][tx] + p.c * (around - 4 * tile[ty][tx]);
}
