#include "kernels/field/cuda_field.h"

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/view/quantity_at.h"

namespace stencil {
namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

template <class T>
__global__ void read_field_kernel(FieldView<const T> state, double factor, FieldView<T> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < state.nx && y < state.ny) out.at(x, y) = field_value(state.at(x, y), factor);
}

template <class T, Boundary B>
__global__ void read_laplacian_kernel(FieldView<const T> state, double factor, FieldView<T> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x >= state.nx || y >= state.ny) return;
    out.at(x, y) = laplacian_value(neighbourhood(state, B, x, y), factor);
}

template <class T>
__global__ void widen_field_kernel(FieldView<const T> state, double factor, FieldView<double> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < state.nx && y < state.ny) out.at(x, y) = double(field_value(state.at(x, y), factor));
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

template <class T>
void cuda_widen_field(FieldView<const T> state, double factor, FieldView<double> out, CudaStream& stream) {
    const dim3 grid = grid_over(state.nx, state.ny, kWidth, kHeight);
    widen_field_kernel<<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(state, factor, out);
    check_launch("widen_field_kernel");
}

template void cuda_widen_field(FieldView<const float>, double, FieldView<double>, CudaStream&);
template void cuda_widen_field(FieldView<const double>, double, FieldView<double>, CudaStream&);
template void cuda_read_field(FieldView<const float>, double, FieldView<float>, CudaStream&);
template void cuda_read_field(FieldView<const double>, double, FieldView<double>, CudaStream&);
template void cuda_read_laplacian(FieldView<const float>, double, Boundary, FieldView<float>, CudaStream&);
template void cuda_read_laplacian(FieldView<const double>, double, Boundary, FieldView<double>, CudaStream&);

}  // namespace stencil
