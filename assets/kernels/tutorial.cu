// A first diffusion kernel: one thread per cell and an `if` for each neighbour. Cells outside of the field
// are 0.
//
//     stencilscope bench --kernel tutorial.cu
//
// One step computes the new field from the old one:
//     u <- u + c * (north + south + west + east - 4 u)
//
// stencilscope: block 8x8

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // The last blocks extend beyond the field; their threads have no cell.
    if (x >= size.nx || y >= size.ny) return;

    // Rows are `pitch` cells apart, which is nx rounded up for alignment.
    const real* u = from.u;
    const int i = y * size.pitch + x;

    // A neighbour outside of the field must not be read.
    const real north = y > 0 ? u[i - size.pitch] : 0;
    const real south = y < size.ny - 1 ? u[i + size.pitch] : 0;
    const real west = x > 0 ? u[i - 1] : 0;
    const real east = x < size.nx - 1 ? u[i + 1] : 0;

    // Write to `to` only: other threads still read `from`.
    to.u[i] = u[i] + p.c * (north + south + west + east - 4 * u[i]);
}
