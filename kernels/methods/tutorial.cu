// The method `tutorial`: the classic example, an 8x8 tile in shared memory that also writes the Laplacian in
// every step. The original updates the field in place while other blocks read the old values (a race), and
// loads without a bounds check; here the field is double-buffered and every load is guarded.

#include "kernels/cuda/cuda_field.h"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/field/cell_update.h"
#include "kernels/methods/graph_stepper.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

constexpr int kTile = 8;

template <class T>
struct TutorialFields {
    FieldView<const T> u;
    FieldView<T> out;
    FieldView<T> laplacian;
};

template <class T, Boundary B>
__global__ void __launch_bounds__(kTile* kTile)
    tutorial_kernel(TutorialFields<T> fields, const StepWeights<T>* weights) {
    __shared__ T tile[kTile + 2][kTile + 2];
    const FieldView<const T> u = fields.u;
    const StepWeights<T> w = *weights;
    const int tx = int(threadIdx.x) + 1;
    const int ty = int(threadIdx.y) + 1;
    const int x = block_column() * kTile + int(threadIdx.x);
    const int y = block_row() * kTile + int(threadIdx.y);
    const bool inside = x < u.nx && y < u.ny;
    if (inside) {
        tile[ty][tx] = u.at(x, y);
        // Threads at the edge of the tile or of the field also load the adjacent halo cell.
        if (tx == 1) tile[ty][0] = value_at(u, B, x - 1, y);
        if (tx == kTile || x == u.nx - 1) tile[ty][tx + 1] = value_at(u, B, x + 1, y);
        if (ty == 1) tile[0][tx] = value_at(u, B, x, y - 1);
        if (ty == kTile || y == u.ny - 1) tile[ty + 1][tx] = value_at(u, B, x, y + 1);
    }
    __syncthreads();
    if (!inside) return;
    const Neighbourhood<T> n{
        tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx - 1], tile[ty][tx + 1]};
    fields.laplacian.at(x, y) = laplacian_cell(n);
    fields.out.at(x, y) = step_cell(n, w);
}

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_tutorial(const ExecutionSpace& execution, FieldShape shape) {
    const auto [nx, ny] = shape;
    const auto memory = std::make_shared<CudaMemory>(cuda_field_bytes<T>(nx, ny));
    const FieldView<T> laplacian = cuda_view<T>(*memory, nx, ny);
    const dim3 grid = grid_over(nx, ny, kTile, kTile);
    return std::make_unique<GraphStepper<T>>(
        *execution.stream, [memory, laplacian, grid](const StepLaunch<T>& step) {
            const TutorialFields<T> fields{step.from, step.to, laplacian};
            with_boundary(step.boundary, [&](auto boundary) {
                tutorial_kernel<T, boundary.value>
                    <<<grid, dim3(kTile, kTile), 0, step.stream>>>(fields, step.weights);
                check_launch("tutorial_kernel");
            });
        });
}

template std::unique_ptr<Stepper<float>> make_tutorial<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_tutorial<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
