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
// cuda_grid.cuh and cell_update.h, a hundred lines, are all that the two kernels stand on.

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/field/cell_update.h"
#include "kernels/methods/graph_stepper.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 4;

template <class T, Boundary B>
__global__ void __launch_bounds__(kWidth* kHeight)
    plain_kernel(FieldView<const T> u, FieldView<T> out, double coefficient) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < u.nx && y < u.ny) out.at(x, y) = step_cell_plainly(neighbourhood(u, B, x, y), coefficient);
}

template <class T, Boundary B>
__global__ void __launch_bounds__(kWidth* kHeight)
    naive_kernel(FieldView<const T> u, FieldView<T> out, const StepWeights<T>* weights) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < u.nx && y < u.ny) out.at(x, y) = step_cell(neighbourhood(u, B, x, y), *weights);
}

}  // namespace

template <class T>
void step_plainly_on(CudaStream& stream,
                     FieldPair<T>& fields,
                     const DiffusionParams& params,
                     long long steps) {
    stream.use_device();
    const dim3 grid = grid_over(fields.front.nx, fields.front.ny, kWidth, kHeight);
    for (; steps > 0; --steps) {
        with_boundary(params.boundary, [&](auto boundary) {
            plain_kernel<T, boundary.value><<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(
                fields.front, fields.back, params.coefficient);
            check_launch("plain_kernel");
        });
        fields.swap();
    }
}

template void step_plainly_on(CudaStream&, FieldPair<float>&, const DiffusionParams&, long long);
template void step_plainly_on(CudaStream&, FieldPair<double>&, const DiffusionParams&, long long);

template <class T>
std::unique_ptr<Stepper<T>> make_naive(const ExecutionSpace& execution, FieldShape) {
    return std::make_unique<GraphStepper<T>>(*execution.stream, [](const StepLaunch<T>& step) {
        with_boundary(step.boundary, [&](auto boundary) {
            const dim3 grid = grid_over(step.from.nx, step.from.ny, kWidth, kHeight);
            naive_kernel<T, boundary.value>
                <<<grid, dim3(kWidth, kHeight), 0, step.stream>>>(step.from, step.to, step.weights);
            check_launch("naive_kernel");
        });
    });
}

template std::unique_ptr<Stepper<float>> make_naive<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_naive<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
