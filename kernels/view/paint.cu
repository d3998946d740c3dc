// Painting on CUDA: one thread per cell of the segment's bounding box.

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/view/cuda_view.h"
#include "kernels/view/paint_cell.h"

namespace stencil {
namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

template <class T>
__global__ void paint_kernel(PlainView<T> field, BrushPiece piece, CellBox box, int first_row) {
    const int x = block_column() * kWidth + int(threadIdx.x);
    const int y = block_row() * kHeight + int(threadIdx.y);
    if (x < box.nx && y < box.ny) paint_cell(piece, box.x + x, box.y + y, field, first_row);
}

}  // namespace

template <class T>
void cuda_paint(const PlainView<T>& field, const BrushPiece& piece, CudaStream& stream, int first_row) {
    const CellBox box = reach_of(piece, field.nx(), field.ny(), first_row);
    if (box.nx == 0 || box.ny == 0) return;
    const dim3 grid = grid_over(box.nx, box.ny, kWidth, kHeight);
    paint_kernel<<<grid, dim3(kWidth, kHeight), 0, cuda_handle(stream)>>>(field, piece, box, first_row);
    check_launch("paint_kernel");
}

template void cuda_paint(const PlainView<float>&, const BrushPiece&, CudaStream&, int);
template void cuda_paint(const PlainView<double>&, const BrushPiece&, CudaStream&, int);

}  // namespace stencil
