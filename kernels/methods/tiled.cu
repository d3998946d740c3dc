// The method `tiled`: several cells per thread, with 16-byte loads and stores.
//
// A warp owns a strip of the tile's rows, 32 groups of 16 bytes wide (4 floats or 2 doubles each), so a row
// is one coalesced access of 512 bytes. A thread keeps its group of every row in registers, which gives it
// several loads in flight and hides memory latency better than one cell per thread. Neighbours within the
// strip are in the same thread, west and east come from the adjacent lanes by shuffles, and the rows above
// and below from the neighbouring warps through shared memory; only the halo of the tile is read twice. Only
// tiles at the field's edge load cell by cell and check the boundary.

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/cell_update.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

constexpr int kWarps = 4;  // per block, one strip each
constexpr int kRows = 2;   // per strip
constexpr int kLanes = 32;
constexpr int kHeight = kWarps * kRows;

template <class T>
constexpr int kWidth = kLanes* AlignedVector<T>::kCount;

// The first and last row of every strip of the tile.
template <class T>
struct SharedRows {
    AlignedVector<T> first[kWarps][kLanes];
    AlignedVector<T> last[kWarps][kLanes];
};

// Access to the field for one tile. kInner: the whole halo lies inside of the field.
template <class T, Boundary B, bool kInner>
struct Source {
    FieldView<const T> u;
    int x0;  ///< first column of the tile

    __device__ T cell(int x, int y) const {
        // Tiles extend beyond the field's far edges; cells further out than one are never used.
        if constexpr (kInner)
            return u.at(x, y);
        else
            return x <= u.nx && y <= u.ny ? value_at(u, B, x, y) : T(0);
    }

    __device__ AlignedVector<T> group(int y) const {
        const int x = x0 + int(threadIdx.x) * AlignedVector<T>::kCount;
        if constexpr (kInner) {
            return *reinterpret_cast<const AlignedVector<T>*>(u.row(y) + x);
        } else {
            AlignedVector<T> result;
#pragma unroll
            for (int i = 0; i < AlignedVector<T>::kCount; ++i) result[i] = cell(x + i, y);
            return result;
        }
    }

    // The cell next to the tile: west of it for the first lane, east of it for the last one.
    __device__ T beside(int y) const {
        const int lane = int(threadIdx.x);
        if (lane == 0) return cell(x0 - 1, y);
        return lane == kLanes - 1 ? cell(x0 + kWidth<T>, y) : T(0);
    }
};

template <class T>
struct Rows {
    AlignedVector<T> north, center, south;
    T beside;
};

template <class T>
__device__ AlignedVector<T> step_group(const Rows<T>& u, const StepWeights<T>& w) {
    constexpr int cells = AlignedVector<T>::kCount;
    T west = __shfl_up_sync(~0U, u.center[cells - 1], 1);
    T east = __shfl_down_sync(~0U, u.center[0], 1);
    if (threadIdx.x == 0) west = u.beside;
    if (threadIdx.x == kLanes - 1) east = u.beside;
    AlignedVector<T> result;
#pragma unroll
    for (int i = 0; i < cells; ++i)
        result[i] = step_cell(Neighbourhood<T>{u.center[i],
                                               u.north[i],
                                               u.south[i],
                                               i > 0 ? u.center[i - 1] : west,
                                               i < cells - 1 ? u.center[i + 1] : east},
                              w);
    return result;
}

template <class T>
__device__ void store_group(FieldView<T> out, int x, int y, const AlignedVector<T>& group) {
    if (y >= out.ny) return;
    if (x + AlignedVector<T>::kCount <= out.nx) {
        *reinterpret_cast<AlignedVector<T>*>(out.row(y) + x) = group;
        return;
    }
#pragma unroll
    for (int i = 0; i < AlignedVector<T>::kCount; ++i)
        if (x + i < out.nx) out.at(x + i, y) = group[i];
}

template <class T, Boundary B, bool kInner>
__device__ void step_tile(const Source<T, B, kInner>& source,
                          SharedRows<T>& shared,
                          FieldView<T> out,
                          int y0,
                          const StepWeights<T>& w) {
    const int lane = int(threadIdx.x);
    const int warp = int(threadIdx.y);
    const int first_row = y0 + warp * kRows;
    AlignedVector<T> strip[kRows];
    T beside[kRows];
    AlignedVector<T> north;
    AlignedVector<T> south;
#pragma unroll
    for (int i = 0; i < kRows; ++i) strip[i] = source.group(first_row + i);
    if (warp == 0) north = source.group(y0 - 1);
    if (warp == kWarps - 1) south = source.group(y0 + kHeight);
#pragma unroll
    for (int i = 0; i < kRows; ++i) beside[i] = source.beside(first_row + i);
    shared.first[warp][lane] = strip[0];
    shared.last[warp][lane] = strip[kRows - 1];
    __syncthreads();
    if (warp > 0) north = shared.last[warp - 1][lane];
    if (warp < kWarps - 1) south = shared.first[warp + 1][lane];
    const int x = source.x0 + lane * AlignedVector<T>::kCount;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const Rows<T> rows{
            i > 0 ? strip[i - 1] : north, strip[i], i < kRows - 1 ? strip[i + 1] : south, beside[i]};
        store_group(out, x, first_row + i, step_group(rows, w));
    }
}

template <class T, Boundary B>
__global__ void __launch_bounds__(kLanes* kWarps)
    tiled_kernel(FieldView<const T> u, FieldView<T> out, const StepWeights<T>* weights) {
    __shared__ SharedRows<T> shared;
    const StepWeights<T> w = *weights;
    const int x0 = block_column() * kWidth<T>;
    const int y0 = block_row() * kHeight;
    const bool inner = x0 > 0 && y0 > 0 && x0 + kWidth<T> < u.nx && y0 + kHeight < u.ny;
    if (inner)
        step_tile(Source<T, B, true>{u, x0}, shared, out, y0, w);
    else
        step_tile(Source<T, B, false>{u, x0}, shared, out, y0, w);
}

}  // namespace

template <class T>
void launch_tiled(FieldView<const T> from,
                  FieldView<T> to,
                  Boundary boundary,
                  const StepWeights<T>* weights,
                  CudaStream& stream) {
    with_boundary(boundary, [&](auto b) {
        const dim3 grid = grid_over(from.nx, from.ny, kWidth<T>, kHeight);
        tiled_kernel<T, b.value><<<grid, dim3(kLanes, kWarps), 0, cuda_handle(stream)>>>(from, to, weights);
        check_launch("tiled_kernel");
    });
}

template void launch_tiled(
    FieldView<const float>, FieldView<float>, Boundary, const StepWeights<float>*, CudaStream&);
template void launch_tiled(
    FieldView<const double>, FieldView<double>, Boundary, const StepWeights<double>*, CudaStream&);

}  // namespace stencil
