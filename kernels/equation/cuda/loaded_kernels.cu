#include "kernels/equation/cuda/loaded_kernels.h"

#include <cuda.h>
#include <dlfcn.h>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil::equation {
namespace {

// The runtime loads machine code from CUDA 12.8 on; the driver has always done it. The runtime has opened it,
// so that it is there.
struct Driver {
    decltype(&cuModuleLoadData) load = nullptr;
    decltype(&cuModuleUnload) unload = nullptr;
    decltype(&cuModuleGetFunction) find = nullptr;
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuGetErrorString) error_text = nullptr;
};

const Driver& driver() {
    static const Driver found = [] {
        Driver d;
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto symbol = [&]<class Function>(Function*& function, const char* name) {
            function = library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
            if (!function) throw CudaError(std::string("the NVIDIA driver has no ") + name);
        };
        symbol(d.load, "cuModuleLoadData");
        symbol(d.unload, "cuModuleUnload");
        symbol(d.find, "cuModuleGetFunction");
        symbol(d.launch, "cuLaunchKernel");
        symbol(d.error_text, "cuGetErrorString");
        return d;
    }();
    return found;
}

void check(CUresult error, const std::string& call) {
    if (error == CUDA_SUCCESS) return;
    const char* text = nullptr;
    driver().error_text(error, &text);
    throw CudaError("CUDA: " + call + ": " + (text ? text : "error " + std::to_string(int(error))));
}

}  // namespace

LoadedKernels::LoadedKernels(const std::string& cubin, const CudaStream& stream) : stream_(stream) {
    stream.use_device();
    CUmodule module = nullptr;
    check(driver().load(&module, cubin.data()), "cuModuleLoadData");
    module_ = module;
}

LoadedKernels::~LoadedKernels() {
    stream_.use_device();
    driver().unload(static_cast<CUmodule>(module_));
}

LoadedKernel LoadedKernels::find(const std::string& name) const {
    CUfunction function = nullptr;
    check(driver().find(&function, static_cast<CUmodule>(module_), name.c_str()), name);
    return {function};
}

void launch_kernel(const LoadedKernel& kernel,
                   const LaunchShape& shape,
                   const void* argument,
                   CudaStream& stream) {
    void* arguments[] = {const_cast<void*>(argument)};
    check(driver().launch(static_cast<CUfunction>(kernel.function),
                          shape.blocks_x,
                          shape.blocks_y,
                          shape.blocks_z,
                          shape.threads_x,
                          shape.threads_y,
                          1,
                          0,
                          cuda_handle(stream),
                          arguments,
                          nullptr),
          "cuLaunchKernel");
}

}  // namespace stencil::equation
