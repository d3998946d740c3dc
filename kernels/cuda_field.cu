#include "kernels/cuda_field.h"

#include "kernels/cell_update.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"

namespace stencil {
namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

template <class T>
__device__ T scaled(T value, double factor) {
    return T(double(value) * factor);
}

template <class T>
__global__ void read_field_kernel(FieldView<const T> state, double factor, FieldView<T> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < state.nx && y < state.ny) out.at(x, y) = scaled(state.at(x, y), factor);
}

template <class T, Boundary B>
__global__ void read_laplacian_kernel(FieldView<const T> state, double factor, FieldView<T> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x >= state.nx || y >= state.ny) return;
    const Neighbourhood<T> n = neighbourhood(state, B, x, y);
    out.at(x, y) = laplacian_cell(Neighbourhood<T>{scaled(n.center, factor),
                                                   scaled(n.north, factor),
                                                   scaled(n.south, factor),
                                                   scaled(n.west, factor),
                                                   scaled(n.east, factor)});
}

}  // namespace

template <class T>
void cuda_read_field(FieldView<const T> state, double factor, FieldView<T> out, CudaStream& stream) {
    const dim3 grid = grid_over(state.nx, state.ny, kWidth, kHeight);
    read_field_kernel<<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(state, factor, out);
    check_launch("read_field_kernel");
}

template <class T>
void cuda_read_laplacian(
    FieldView<const T> state, double factor, Boundary boundary, FieldView<T> out, CudaStream& stream) {
    with_boundary(boundary, [&](auto constant) {
        const dim3 grid = grid_over(state.nx, state.ny, kWidth, kHeight);
        read_laplacian_kernel<T, constant.value>
            <<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(state, factor, out);
        check_launch("read_laplacian_kernel");
    });
}

template void cuda_read_field(FieldView<const float>, double, FieldView<float>, CudaStream&);
template void cuda_read_field(FieldView<const double>, double, FieldView<double>, CudaStream&);
template void cuda_read_laplacian(FieldView<const float>, double, Boundary, FieldView<float>, CudaStream&);
template void cuda_read_laplacian(FieldView<const double>, double, Boundary, FieldView<double>, CudaStream&);

}  // namespace stencil
