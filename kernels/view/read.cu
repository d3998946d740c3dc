// Reading a quantity of every cell and painting on CUDA, with a thread per cell.

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/view/paint_cell.h"
#include "kernels/view/quantity_at.h"
#include "kernels/view/view.h"

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

template <class T>
__global__ void paint_kernel(PlainView<T> field, BrushPiece piece, CellBox box, int first_row) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < box.nx && y < box.ny) paint_cell(piece, box.x + x, box.y + y, field, first_row);
}

}  // namespace

template <class T, class U>
void read(const CudaView<T>& view, FieldView<U> out) {
    with_quantity(view.quantity, [&](auto quantity) {
        const dim3 grid = grid_over(out.nx, out.ny, kWidth, kHeight);
        read_kernel<quantity.value>
            <<<grid, dim3(kWidth, kHeight), 0, cuda_handle(view.stream)>>>(view.source, out);
        check_launch("read_kernel");
    });
}

template void read(const CudaView<float>&, FieldView<float>);
template void read(const CudaView<float>&, FieldView<double>);
template void read(const CudaView<double>&, FieldView<double>);

template <class T>
void paint(const PlainView<T>& field, const BrushPiece& piece, CudaStream& stream, int first_row) {
    const CellBox box = reach_of(piece, field.nx(), field.ny(), first_row);
    if (box.nx == 0 || box.ny == 0) return;
    const dim3 grid = grid_over(box.nx, box.ny, kWidth, kHeight);
    paint_kernel<<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(field, piece, box, first_row);
    check_launch("paint_kernel");
}

template void paint(const PlainView<float>&, const BrushPiece&, CudaStream&, int);
template void paint(const PlainView<double>&, const BrushPiece&, CudaStream&, int);

}  // namespace stencil
