#include "sim/user_kernel/cuda_step_launcher.h"

#include "kernels/field/divide.h"
#include "sim/text/error.h"

namespace stencil::user_kernel {
namespace {

constexpr int kMostBlocksY = 65535;

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
            "{} rows of blocks are more than the {} that a grid has: let a block make more rows "
            "than {} (// stencilscope: tile)",
            rows,
            kMostBlocksY,
            shape.tile_y);
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
    const void* const arguments[] = {from.data(), to.data(), &size_, parameters.data(), &steps};
    launch_kernel(kernel_, grid_, arguments, stream_);
}

template class LoadedStep<float>;
template class LoadedStep<double>;

}  // namespace stencil::user_kernel
