// The method `tiled`: a tile and its halo in shared memory, several cells per thread, loads and stores of 128
// bits.
//
// A warp owns whole rows of the tile: lane i holds the i-th group of 16 bytes (4 floats or 2 doubles), so a
// row of 32 groups is one coalesced access of 512 bytes. North and south come from shared memory as groups;
// west and east are the group's own cells but for its two ends. Tiles that touch the field's edge take the
// guarded path, cell by cell.

#include "kernels/cell_update.h"
#include "kernels/cuda_grid.cuh"
#include "kernels/graph_stepper.cuh"
#include "kernels/steppers.h"

namespace stencil {
namespace {

struct TiledTuning {
    static constexpr int kWarps = 8;  // of a block
    static constexpr int kRowsPerWarp =
        2;  // of the tile; more would leave too few blocks in flight at 2000^2
};

constexpr int kLanes = 32;
constexpr int kHeight = TiledTuning::kWarps * TiledTuning::kRowsPerWarp;

template <class T>
struct Group {
    static constexpr int kCells = int(16 / sizeof(T));
    alignas(16) T cell[kCells];
};

// The tile with its halo: one more row above and below, one more group on either side.
template <class T>
struct Tile {
    static constexpr int kCells = Group<T>::kCells;
    static constexpr int kWidth = kLanes * kCells;
    Group<T> group[kHeight + 2][kLanes + 2];
};

template <class T>
__device__ Group<T> load_group(const T* p) {
    return *reinterpret_cast<const Group<T>*>(p);
}

// Loads the rows of an inner tile, whose halo lies inside the field.
template <class T>
__device__ void load_inner(Tile<T>& tile, FieldView<const T> u, int x0, int y0) {
    const int lane = int(threadIdx.x);
    for (int row = int(threadIdx.y); row < kHeight + 2; row += TiledTuning::kWarps) {
        const T* source = u.row(y0 + row - 1) + x0;
        tile.group[row][lane + 1] = load_group(source + lane * Group<T>::kCells);
        if (lane == 0) tile.group[row][0].cell[Group<T>::kCells - 1] = source[-1];
        if (lane == kLanes - 1) tile.group[row][kLanes + 1].cell[0] = source[Tile<T>::kWidth];
    }
}

// Loads what there is of a tile at the field's edge; the cells just outside get the boundary's value.
template <class T, Boundary B>
__device__ void load_edge(Tile<T>& tile, FieldView<const T> u, int x0, int y0) {
    constexpr int cells = Group<T>::kCells;
    for (int row = int(threadIdx.y); row < kHeight + 2; row += TiledTuning::kWarps) {
        const int y = y0 + row - 1;
        for (int i = int(threadIdx.x); i < Tile<T>::kWidth + 2; i += kLanes) {
            const int x = x0 + i - 1;
            const bool known = x <= u.nx && y <= u.ny;
            tile.group[row][(i - 1 + cells) / cells].cell[(i - 1 + cells) % cells] =
                known ? value_at(u, B, x, y) : T(0);
        }
    }
}

template <class T>
__device__ Group<T> step_group(const Tile<T>& tile, int row, const StepWeights<T>& w) {
    constexpr int cells = Group<T>::kCells;
    const int column = int(threadIdx.x) + 1;
    const Group<T> north = tile.group[row - 1][column];
    const Group<T> center = tile.group[row][column];
    const Group<T> south = tile.group[row + 1][column];
    const T west = tile.group[row][column - 1].cell[cells - 1];
    const T east = tile.group[row][column + 1].cell[0];
    Group<T> result;
#pragma unroll
    for (int i = 0; i < cells; ++i)
        result.cell[i] = step_cell(Neighbourhood<T>{center.cell[i],
                                                    north.cell[i],
                                                    south.cell[i],
                                                    i > 0 ? center.cell[i - 1] : west,
                                                    i < cells - 1 ? center.cell[i + 1] : east},
                                   w);
    return result;
}

template <class T>
__device__ void store_group(FieldView<T> out, int x, int y, const Group<T>& group) {
    if (y >= out.ny) return;
    if (x + Group<T>::kCells <= out.nx) {
        *reinterpret_cast<Group<T>*>(out.row(y) + x) = group;
        return;
    }
    for (int i = 0; i < Group<T>::kCells; ++i)
        if (x + i < out.nx) out.at(x + i, y) = group.cell[i];
}

template <class T, Boundary B>
__global__ void __launch_bounds__(kLanes* TiledTuning::kWarps)
    tiled_kernel(FieldView<const T> u, FieldView<T> out, const StepWeights<T>* weights) {
    __shared__ Tile<T> tile;
    const StepWeights<T> w = *weights;
    const int x0 = int(blockIdx.x) * Tile<T>::kWidth;
    for (int y0 = int(blockIdx.y) * kHeight; y0 < u.ny; y0 += int(gridDim.y) * kHeight) {
        const bool inner = x0 > 0 && y0 > 0 && x0 + Tile<T>::kWidth < u.nx && y0 + kHeight < u.ny;
        if (inner)
            load_inner(tile, u, x0, y0);
        else
            load_edge<T, B>(tile, u, x0, y0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TiledTuning::kRowsPerWarp; ++i) {
            const int row = int(threadIdx.y) + i * TiledTuning::kWarps;
            store_group(
                out, x0 + int(threadIdx.x) * Group<T>::kCells, y0 + row, step_group(tile, row + 1, w));
        }
        __syncthreads();
    }
}

template <class T>
class TiledStepper : public GraphStepper<T> {
  public:
    using GraphStepper<T>::GraphStepper;

  protected:
    void launch(const StepLaunch<T>& step) override {
        with_boundary(step.boundary, [&](auto boundary) {
            const dim3 grid = grid_over(step.from.nx, step.from.ny, Tile<T>::kWidth, kHeight);
            tiled_kernel<T, boundary.value><<<grid, dim3(kLanes, TiledTuning::kWarps), 0, step.stream>>>(
                step.from, step.to, step.weights);
            check_launch("tiled_kernel");
        });
    }
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_tiled(const Execution& execution, FieldShape) {
    return std::make_unique<TiledStepper<T>>(*execution.stream);
}

template std::unique_ptr<Stepper<float>> make_tiled<float>(const Execution&, FieldShape);
template std::unique_ptr<Stepper<double>> make_tiled<double>(const Execution&, FieldShape);

}  // namespace stencil
