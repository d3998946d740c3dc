// Reads a quantity of every cell on CUDA.

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/view/cuda_view.h"
#include "kernels/view/quantity_at.h"

namespace stencil {
namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

template <Quantity Q, class T, class U>
__global__ void read_kernel(QuantitySource<T> source, FieldView<U> out) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < out.nx && y < out.ny) out.at(x, y) = U(quantity_at<Q>(source, x, y));
}

}  // namespace

template <class T, class U>
void cuda_read(const CudaView<T>& view, FieldView<U> out) {
    with_quantity(view.quantity, [&](auto quantity) {
        const dim3 grid = grid_over(out.nx, out.ny, kWidth, kHeight);
        read_kernel<quantity.value>
            <<<grid, dim3(kWidth, kHeight), 0, cuda_handle(view.stream)>>>(view.source, out);
        check_launch("read_kernel");
    });
}

template void cuda_read(const CudaView<float>&, FieldView<float>);
template void cuda_read(const CudaView<float>&, FieldView<double>);
template void cuda_read(const CudaView<double>&, FieldView<double>);

}  // namespace stencil
