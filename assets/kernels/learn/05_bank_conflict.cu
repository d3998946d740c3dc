// 5. Bank conflict.
// The result is right. Shared memory has 32 banks, which take turns word by word: the word i is in bank i
// % 32. Words of one bank are read one after the other.
//
// To find: in which banks the threads of a warp, with successive threadIdx.x, find their cells.
//
//     stencilscope learn 5 --check FILE.cu
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
    // tile[x + 1][y + 1] is the cell (x0 + x, y0 + y); a column has 16 places, as 16 is a power of two.
    __shared__ real tile[kWidth + 2][16];
    const int x0 = blockIdx.x * kWidth, y0 = blockIdx.y * kHeight;
    const int thread = threadIdx.y * kWidth + threadIdx.x;
    for (int i = thread; i < (kHeight + 2) * (kWidth + 2); i += kWidth * kHeight) {
        const int tx = i % (kWidth + 2), ty = i / (kWidth + 2);
        tile[tx][ty] = value_at(from.u, size, x0 + tx - 1, y0 + ty - 1);
    }
    __syncthreads();
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const real around = tile[tx][ty - 1] + tile[tx][ty + 1] + tile[tx - 1][ty] + tile[tx + 1][ty];
    to.u[y * size.pitch + x] = tile[tx][ty] + p.c * (around - 4 * tile[tx][ty]);
}
