// Diffusion as a first kernel has it: one thread for each cell, and an `if` for each neighbour. Outside of
// the field everything is 0.
//
//     stencilscope bench --kernel tutorial.cu
//
// One step goes from the old field to the new one:
//     u <- u + c * (north + south + west + east - 4 u)
//
// stencilscope: block 8x8

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    // The last blocks stick out of the field: their threads have no cell.
    if (x >= size.nx || y >= size.ny) return;

    // Rows lie `pitch` cells apart, a little more than nx.
    const real* u = from.u;
    const int i = y * size.pitch + x;

    // A neighbour that is not there must not be read.
    const real north = y > 0 ? u[i - size.pitch] : 0;
    const real south = y < size.ny - 1 ? u[i + size.pitch] : 0;
    const real west = x > 0 ? u[i - 1] : 0;
    const real east = x < size.nx - 1 ? u[i + 1] : 0;

    // Never into `from`, which other threads still read.
    to.u[i] = u[i] + p.c * (north + south + west + east - 4 * u[i]);
}
