#include "kernels/user_kernel/loaded_step.h"

#include <cuda.h>
#include <dlfcn.h>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil::user_kernel {
namespace {

// Of the driver, which the runtime has opened: kernels of a module are launched by it.
struct Driver {
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuFuncSetAttribute) set = nullptr;
    decltype(&cuGetErrorName) name = nullptr;
    decltype(&cuGetErrorString) text = nullptr;
};

const Driver& driver() {
    static const Driver found = [] {
        Driver d;
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto symbol = [&]<class Function>(Function*& function, const char* name) {
            function = library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
            if (!function) throw CudaError(std::string("the NVIDIA driver has no ") + name);
        };
        symbol(d.launch, "cuLaunchKernel");
        symbol(d.set, "cuFuncSetAttribute");
        symbol(d.name, "cuGetErrorName");
        symbol(d.text, "cuGetErrorString");
        return d;
    }();
    return found;
}

void check(CUresult error, const char* call) {
    if (error == CUDA_SUCCESS) return;
    const char *name = nullptr, *text = nullptr;
    driver().name(error, &name);
    driver().text(error, &text);
    throw CudaError(std::string("CUDA: ") + call + ": " + (name ? name : "?") + " (" + (text ? text : "?") +
                    ")");
}

// What a GPU allows a block of without being asked.
constexpr std::size_t kUsualShared = 48 * 1024;

}  // namespace

LoadedStep::LoadedStep(const std::string& cubin,
                       const std::string& entry,
                       const LaunchGrid& grid,
                       const CudaStream& stream)
    : kernels_(cubin, stream), kernel_(kernels_.find(entry)) {
    if (grid.shared_bytes > kUsualShared)
        check(driver().set(static_cast<CUfunction>(kernel_.function),
                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           int(grid.shared_bytes)),
              "the dynamic shared memory of the kernel");
}

template <class T>
void LoadedStep::launch(const StepArguments<T>& arguments, const LaunchGrid& grid, CudaStream& stream) const {
    // The structs From, To, Size and Parameters are as these arrays lie in memory.
    int size[] = {arguments.nx, arguments.ny, arguments.pitch};
    int steps = arguments.steps;
    void* pointers[] = {const_cast<const T**>(arguments.from.data()),
                        const_cast<T**>(arguments.to.data()),
                        size,
                        const_cast<T*>(arguments.parameters.data()),
                        &steps};
    check(driver().launch(static_cast<CUfunction>(kernel_.function),
                          grid.blocks_x,
                          grid.blocks_y,
                          1,
                          grid.threads_x,
                          grid.threads_y,
                          1,
                          unsigned(grid.shared_bytes),
                          cuda_handle(stream),
                          pointers,
                          nullptr),
          "the launch of the kernel");
}

template void LoadedStep::launch<float>(const StepArguments<float>&, const LaunchGrid&, CudaStream&) const;
template void LoadedStep::launch<double>(const StepArguments<double>&, const LaunchGrid&, CudaStream&) const;

}  // namespace stencil::user_kernel
