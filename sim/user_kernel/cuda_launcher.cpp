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

// Device copies of host arrays.
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

template <class T>
LoadedStep<T>::LoadedStep(const UserKernel& kernel, int nx, int ny, int pitch, CudaStream& stream)
    : source_(kernel),
      stream_(stream),
      size_{nx, ny, pitch},
      kernels_(kernel.compiled.cubin, stream),
      kernel_(kernels_.find(std::string(kernel.shape.entry()))) {
    const LaunchShape& shape = kernel.shape;
    const int rows = ceil_div(ny, shape.tile_y);
    if (rows > kMostBlocksY)
        throw InputError(
            fmt::format("{} rows of blocks are more than the {} that a grid has: let a block make more rows "
                        "than {} (// stencilscope: tile)",
                        rows,
                        kMostBlocksY,
                        shape.tile_y));
    grid_.blocks_x = unsigned(ceil_div(nx, shape.tile_x));
    grid_.blocks_y = unsigned(rows);
    grid_.threads_x = unsigned(shape.block_x);
    grid_.threads_y = unsigned(shape.block_y);
    grid_.shared_bytes = unsigned(shape.shared_bytes);
    if (prepare_kernel(kernel_, shape.block_x * shape.block_y, shape.shared_bytes).blocks == 0)
        throw InputError(
            "a block needs more registers or shared memory than this GPU has: take smaller blocks");
}

template <class T>
void LoadedStep<T>::launch(const std::vector<const T*>& from,
                           const std::vector<T*>& to,
                           const StepParameters& params,
                           int steps,
                           double t) const {
    const auto values = parameter_values(source_.entry, params, source_.spacing, t);
    const std::vector<T> parameters(values.begin(), values.end());
    // The structs From, To, Size and Parameters have the memory layout of these arrays.
    const void* const arguments[] = {from.data(), to.data(), size_, parameters.data(), &steps};
    launch_kernel(kernel_, grid_, arguments, stream_);
}

template <class T>
void CudaLauncher<T>::launch(
    const GuardedShape& shape, std::vector<Cells<T>>& from, std::vector<Cells<T>>& to, int steps, double t) {
    const LoadedStep<T> loaded(kernel_, shape.nx, shape.ny, shape.pitch, stream_);
    DeviceCopies<T> sources(from, stream_), results(to, stream_);
    std::vector<const T*> read;
    std::vector<T*> written;
    for (std::size_t c = 0; c < from.size(); ++c) {
        read.push_back(sources.first_cell(c, shape));
        written.push_back(results.first_cell(c, shape));
    }
    loaded.launch(read, written, params_, steps, t);
    stream_.synchronize();
    sources.read_back(from);
    results.read_back(to);
}

template class LoadedStep<float>;
template class LoadedStep<double>;
template class CudaLauncher<float>;
template class CudaLauncher<double>;

}  // namespace stencil::user_kernel
