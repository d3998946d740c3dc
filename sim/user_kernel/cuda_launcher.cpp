#include "sim/user_kernel/cuda_launcher.h"

#include <fmt/format.h>

#include "kernels/field/divide.h"
#include "sim/text/error.h"

namespace stencil::user_kernel {
namespace {

constexpr int kMostBlocksY = 65535;

template <class T>
RowCopy whole(void* to, const void* from, const Cells<T>& cells) {
    const std::size_t bytes = cells.size() * sizeof(T);
    return {to, bytes, from, bytes, bytes, 1};
}

// Arrays of the host on the device.
template <class T>
class DeviceCopies {
  public:
    DeviceCopies(const std::vector<Cells<T>>& arrays, CudaStream& stream) : stream_(stream) {
        for (const Cells<T>& cells : arrays) {
            memory_.emplace_back(cells.size() * sizeof(T));
            copy_to_device(whole(memory_.back().data(), cells.data(), cells), stream_);
        }
    }
    T* first_cell(std::size_t i, const GuardedShape& shape) const {
        return static_cast<T*>(memory_[i].data()) + shape.at(0, 0);
    }
    void read_back(std::vector<Cells<T>>& arrays) {
        for (std::size_t i = 0; i < arrays.size(); ++i)
            copy_to_host(whole(arrays[i].data(), memory_[i].data(), arrays[i]), stream_);
    }

  private:
    CudaStream& stream_;
    std::vector<CudaMemory> memory_;
};

}  // namespace

LaunchGrid grid_over(const LaunchShape& shape, int nx, int ny) {
    const int rows = ceil_div(ny, shape.tile_y);
    if (rows > kMostBlocksY)
        throw InputError(
            fmt::format("{} rows of blocks are more than the {} that a grid has: let a block make more rows "
                        "than {} (// stencilscope: tile)",
                        rows,
                        kMostBlocksY,
                        shape.tile_y));
    return {unsigned(ceil_div(nx, shape.tile_x)),
            unsigned(rows),
            unsigned(shape.block_x),
            unsigned(shape.block_y),
            std::size_t(shape.shared_bytes)};
}

template <class T>
void CudaLauncher<T>::launch(
    const GuardedShape& shape, std::vector<Cells<T>>& from, std::vector<Cells<T>>& to, int steps, double t) {
    const LaunchGrid grid = grid_over(kernel_.shape, shape.nx, shape.ny);
    const LoadedStep loaded(kernel_.compiled.cubin, std::string(kernel_.shape.entry()), grid, stream_);
    DeviceCopies<T> sources(from, stream_), results(to, stream_);
    StepArguments<T> arguments;
    for (std::size_t c = 0; c < from.size(); ++c) {
        arguments.from.push_back(sources.first_cell(c, shape));
        arguments.to.push_back(results.first_cell(c, shape));
    }
    arguments.nx = shape.nx;
    arguments.ny = shape.ny;
    arguments.pitch = shape.pitch;
    for (const double value : parameter_values(kernel_.entry, params_, kernel_.spacing, t))
        arguments.parameters.push_back(T(value));
    arguments.steps = steps;
    loaded.launch(arguments, grid, stream_);
    stream_.synchronize();
    sources.read_back(from);
    results.read_back(to);
}

template class CudaLauncher<float>;
template class CudaLauncher<double>;

}  // namespace stencil::user_kernel
