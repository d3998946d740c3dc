// Resampling on CUDA.
//
// Averages: a block computes adjacent pixels of one row. Its threads are side by side on the columns of cells
// below these pixels, and each sums its columns over the pixels' rows, so that loads are coalesced. The sums
// are collected in shared memory, where a few lanes per pixel add up its columns. If the pixels have few
// columns, the block's threads form several strips of rows; a pixel of very many columns is summed in several
// passes. Nearest cells and interpolation are sums over one or two cells; if both axes use them, each thread
// computes a pixel.

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/view/column_reader.cuh"
#include "kernels/view/sampled.h"
#include "kernels/view/view.h"

namespace stencil {
namespace {

constexpr int kThreads = 128;
constexpr int kColumns = 4;  ///< per thread
constexpr int kRows = 8;     ///< unrolled rows per thread, for enough loads in flight
constexpr int kMaxColumns = kThreads * kColumns;

// Blocks per multiprocessor: as many as keep their sums in registers.
template <Quantity Q>
constexpr int kBlocks = Q == Quantity::value || Q == Quantity::base ? 8 : 6;

constexpr int kPointWidth = 32;
constexpr int kPointHeight = 8;

struct PixelGrid {
    PixelAxis columns;
    PixelAxis rows;
    int width;
    int height;
    float* pixels;
};

/// The division of a block's work. All except `pixels` are powers of two.
struct BlockShape {
    int pixels;  ///< per block, side by side
    int lanes;   ///< per pixel, at most a warp; pixels * lanes <= kThreads
    int across;  ///< threads side by side on columns; the others form strips of rows below
};

BlockShape shape_for(const PixelGrid& grid) {
    BlockShape shape{1, 1, 8};
    const double size = std::max(grid.columns.size, 1.0);
    // Adjacent pixels cover at most two columns more than their width.
    const double room = (kMaxColumns - 4) / size;
    shape.pixels = room >= kThreads ? kThreads : std::max(int(room), 1);
    shape.pixels = std::min(shape.pixels, grid.width);
    while (shape.lanes < 32 && shape.pixels * shape.lanes * 2 <= kThreads) shape.lanes *= 2;
    const double columns = std::min(shape.pixels * grid.columns.size + 4, double(grid.columns.cells));
    while (shape.across < kThreads && shape.across * kColumns < columns) shape.across *= 2;
    return shape;
}

/// Columns [x, x + count), at most kColumns for each of the threads across.
struct ColumnRun {
    int x, count, across;
};

// The weighted sums of a thread's columns over rows [begin, end).
template <Quantity Q, bool kInner, class T>
struct ColumnSums {
    using V = QuantityValue<Q, T>;

    ColumnReader<Q, kInner, T> readers[kColumns];
    double totals[kColumns] = {};

    // Sums a few rows in precision V, then accumulates in float64.
    template <int kCount>
    __device__ void add_rows(const CellSpan& rows, int y) {
        V part[kColumns] = {};
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            const V weight = V(rows.weight(y + j));
#pragma unroll
            for (int k = 0; k < kColumns; ++k) part[k] += weight * readers[k].addend(y + j);
        }
#pragma unroll
        for (int k = 0; k < kColumns; ++k) totals[k] += double(part[k]);
    }
};

// Writes sums[strip][column]: each strip of threads sums its part of the rows.
template <Quantity Q, bool kInner, class T>
__device__ void sum_rows(const QuantitySource<T>& source,
                         const CellSpan& rows,
                         const ColumnRun& run,
                         double* sums) {
    const int column = int(threadIdx.x) & (run.across - 1);
    const int strip = int(threadIdx.x) / run.across;
    const int strips = kThreads / run.across;
    const int height = (rows.last - rows.first) / strips + 1;
    // Strips beyond the last row are empty.
    const int begin = min(rows.first + strip * height, rows.last);
    const int end = rows.first + strip * height > rows.last ? begin : min(begin + height, rows.last + 1);
    const auto reader = [&](int k) {
        return ColumnReader<Q, kInner, T>(source, run.x + min(column + k * run.across, run.count - 1), begin);
    };
    static_assert(kColumns == 4);
    ColumnSums<Q, kInner, T> all{{reader(0), reader(1), reader(2), reader(3)}};
    int y = begin;
    for (; y + kRows <= end; y += kRows) all.template add_rows<kRows>(rows, y);
    for (; y < end; ++y) all.template add_rows<1>(rows, y);
    double* own = sums + strip * run.across * kColumns;
#pragma unroll
    for (int k = 0; k < kColumns; ++k)
        if (column + k * run.across < run.count) own[column + k * run.across] = all.totals[k];
}

// A lane's share of a pixel's columns within the run.
__device__ double sum_columns(
    const CellSpan& span, const ColumnRun& run, int lane, int lanes, const double* sums) {
    const int begin = max(span.first, run.x);
    const int last = min(span.last, run.x + run.count - 1);
    const int strips = kThreads / run.across;
    double total = 0;
    for (int x = begin + lane; x <= last; x += lanes) {
        double column = 0;
        for (int strip = 0; strip < strips; ++strip)
            column += sums[strip * run.across * kColumns + x - run.x];
        total += span.weight(x) * column;
    }
    return total;
}

template <Quantity Q, class T>
__global__ void __launch_bounds__(kThreads, kBlocks<Q>)
    average_kernel(QuantitySource<T> source, PixelGrid grid, BlockShape shape) {
    __shared__ double sums[kMaxColumns];
    const int first = int(blockIdx.x) * shape.pixels;
    const int end = min(first + shape.pixels, grid.width);
    const int lane = int(threadIdx.x) & (shape.lanes - 1);
    const int pixel = first + int(threadIdx.x) / shape.lanes;
    const bool has_pixel = pixel < end;
    const CellSpan span = pixel_span(grid.columns, has_pixel ? pixel : first);
    const int begin = pixel_span(grid.columns, first).first;
    const int last = pixel_span(grid.columns, end - 1).last;
    const int capacity = shape.across * kColumns;
    for (int y = int(blockIdx.y); y < grid.height; y += int(gridDim.y)) {
        const CellSpan rows = pixel_span(grid.rows, y);
        double total = 0;
        for (int x = begin; x <= last; x += capacity) {
            const ColumnRun run{x, min(capacity, last - x + 1), shape.across};
            const bool inner =
                Q != Quantity::laplacian || (run.x > 0 && run.x + run.count < source.field.nx() &&
                                             rows.first > 0 && rows.last < source.field.ny() - 1);
            if (inner)
                sum_rows<Q, true>(source, rows, run, sums);
            else
                sum_rows<Q, false>(source, rows, run, sums);
            __syncthreads();
            if (has_pixel) total += sum_columns(span, run, lane, shape.lanes, sums);
            __syncthreads();
        }
        total = warp_sum(total, shape.lanes);
        if (has_pixel && lane == 0)
            grid.pixels[std::ptrdiff_t(y) * grid.width + pixel] =
                float(total * (span.scale * rows.scale * addend_unit<Q>(source)));
    }
}

template <Quantity Q, class T>
__global__ void point_kernel(QuantitySource<T> source, PixelGrid grid) {
    const int px = block_column() * kPointWidth + int(threadIdx.x);
    const int py = block_row() * kPointHeight + int(threadIdx.y);
    if (px >= grid.width || py >= grid.height) return;
    const CellSpan columns = pixel_span(grid.columns, px);
    const CellSpan rows = pixel_span(grid.rows, py);
    grid.pixels[std::ptrdiff_t(py) * grid.width + px] = float(sum_of_spans<Q>(source, columns, rows));
}

template <Quantity Q, class T>
void launch_average(const CudaView<T>& view, const PixelGrid& grid) {
    const BlockShape shape = shape_for(grid);
    const int across = (grid.width - 1) / shape.pixels + 1;
    const dim3 blocks(unsigned(across), unsigned(std::min(grid.height, 65535)));
    average_kernel<Q><<<blocks, kThreads, 0, cuda_handle(view.stream)>>>(view.source, grid, shape);
    check_launch("average_kernel");
}

template <Quantity Q, class T>
void launch_points(const CudaView<T>& view, const PixelGrid& grid) {
    const dim3 blocks = grid_over(grid.width, grid.height, kPointWidth, kPointHeight);
    point_kernel<Q>
        <<<blocks, dim3(kPointWidth, kPointHeight), 0, cuda_handle(view.stream)>>>(view.source, grid);
    check_launch("point_kernel");
}

}  // namespace

template <class T>
void resample(const CudaView<T>& view, const ResampleRequest& request, float* pixels) {
    if (request.width <= 0 || request.height <= 0) return;
    const PlainView<const T>& field = view.source.field;
    const PixelGrid grid{
        columns_of(request, field.nx()), rows_of(request, field.ny()), request.width, request.height, pixels};
    with_quantity(view.quantity, [&](auto quantity) {
        if (grid.columns.size > 1 || grid.rows.size > 1)
            launch_average<quantity.value>(view, grid);
        else
            launch_points<quantity.value>(view, grid);
    });
}

template void resample(const CudaView<float>&, const ResampleRequest&, float*);
template void resample(const CudaView<double>&, const ResampleRequest&, float*);

}  // namespace stencil
