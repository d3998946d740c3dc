#include <memory>

#include "sim/kernel_trial/check.h"
#include "sim/user_kernel/cuda_step_launcher.h"

namespace stencil::user_kernel {
namespace {

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
Launch<T> gpu_launch(const UserKernel& kernel, const StepParameters& params) {
    return [&kernel, params, stream = std::make_shared<CudaStream>()](
               const GuardedShape& shape, auto& from, auto& to, int steps, double t) {
        const LoadedStep<T> loaded(kernel, shape.nx, shape.ny, shape.pitch, *stream);
        DeviceCopies<T> sources(from, *stream), results(to, *stream);
        std::vector<const T*> read;
        std::vector<T*> written;
        for (std::size_t c = 0; c < from.size(); ++c) {
            read.push_back(sources.first_cell(c, shape));
            written.push_back(results.first_cell(c, shape));
        }
        loaded.launch(read, written, params, steps, t);
        stream->synchronize();
        sources.read_back(from);
        results.read_back(to);
    };
}

template Launch<float> gpu_launch(const UserKernel&, const StepParameters&);
template Launch<double> gpu_launch(const UserKernel&, const StepParameters&);

}  // namespace stencil::user_kernel
