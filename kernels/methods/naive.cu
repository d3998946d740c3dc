// The method `naive`: one cell per thread, five loads from global memory. The loads of a warp coalesce, and
// neighbours' loads of the same cells hit the caches.
//
// plain_kernel() is the step as it is written: u + c (north + south + west + east - 4 u). naive_kernel() is
// the same step in the form of all methods here. They store v = g u, where g is a known number near 1, and
// compute
//     v' = scale * (ratio * v + north + south + west + east),   ratio = (1 - 4c) / c.
// That is the step divided by c and multiplied by `scale`, a power of two that is 1 in most steps: one
// multiply-add and three additions. As g changes from step to step, a cell's roundings differ and cancel
// instead of adding up. kernels/methods/scaled_steps.h derives the numbers of each step, `weights`, and g.
//
// All that this file uses is in cuda_grid.cuh, cell_update.h, field_view.h and host_device.h, 150 lines in
// all. graph_stepper.cu calls launch_naive() for each step.

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/field/cell_update.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 4;

template <class T>
__global__ void __launch_bounds__(kWidth* kHeight)
    plain_kernel(FieldView<const T> u, FieldView<T> out, Boundary boundary, double coefficient) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < u.nx && y < u.ny) out.at(x, y) = step_cell_plainly(neighbourhood(u, boundary, x, y), coefficient);
}

template <class T>
__global__ void __launch_bounds__(kWidth* kHeight)
    naive_kernel(FieldView<const T> u, FieldView<T> out, Boundary boundary, const StepWeights<T>* weights) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < u.nx && y < u.ny) out.at(x, y) = step_cell(neighbourhood(u, boundary, x, y), *weights);
}

}  // namespace

template <class T>
void launch_plain(
    FieldView<const T> from, FieldView<T> to, Boundary boundary, double coefficient, CudaStream& stream) {
    const dim3 grid = grid_over(from.nx, from.ny, kWidth, kHeight), block(kWidth, kHeight);
    plain_kernel<<<grid, block, 0, cuda_handle(stream)>>>(from, to, boundary, coefficient);
    check_launch("plain_kernel");
}

template <class T>
void launch_naive(FieldView<const T> from,
                  FieldView<T> to,
                  Boundary boundary,
                  const StepWeights<T>* weights,
                  CudaStream& stream) {
    const dim3 grid = grid_over(from.nx, from.ny, kWidth, kHeight), block(kWidth, kHeight);
    naive_kernel<<<grid, block, 0, cuda_handle(stream)>>>(from, to, boundary, weights);
    check_launch("naive_kernel");
}

template void launch_plain(FieldView<const float>, FieldView<float>, Boundary, double, CudaStream&);
template void launch_plain(FieldView<const double>, FieldView<double>, Boundary, double, CudaStream&);
template void launch_naive(
    FieldView<const float>, FieldView<float>, Boundary, const StepWeights<float>*, CudaStream&);
template void launch_naive(
    FieldView<const double>, FieldView<double>, Boundary, const StepWeights<double>*, CudaStream&);

}  // namespace stencil
