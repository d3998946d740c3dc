#include "kernels/equation/launch/loaded_kernels.h"

#include <cuda.h>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/driver_function.cuh"

namespace stencil::equation {
namespace {

// Uses the driver API, because the runtime can load cubins only from CUDA 12.8 on.
struct Driver {
    decltype(&cuModuleLoadData) load = nullptr;
    decltype(&cuModuleUnload) unload = nullptr;
    decltype(&cuModuleGetFunction) find = nullptr;
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuLaunchCooperativeKernel) launch_cooperatively = nullptr;
    decltype(&cuFuncSetAttribute) set = nullptr;
    decltype(&cuFuncGetAttribute) get = nullptr;
    decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) blocks = nullptr;
    decltype(&cuGetErrorName) error_name = nullptr;
    decltype(&cuGetErrorString) error_text = nullptr;
};

const Driver& driver() {
    static const Driver found = [] {
        Driver d;
        const auto symbol = []<class Function>(Function& function, const char* name) {
            function = driver_function<Function>(name);
            if (!function) throw CudaError(std::string("the NVIDIA driver has no ") + name);
        };
        symbol(d.load, "cuModuleLoadData");
        symbol(d.unload, "cuModuleUnload");
        symbol(d.find, "cuModuleGetFunction");
        symbol(d.launch, "cuLaunchKernel");
        symbol(d.launch_cooperatively, "cuLaunchCooperativeKernel");
        symbol(d.set, "cuFuncSetAttribute");
        symbol(d.get, "cuFuncGetAttribute");
        symbol(d.blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        symbol(d.error_name, "cuGetErrorName");
        symbol(d.error_text, "cuGetErrorString");
        return d;
    }();
    return found;
}

void check(CUresult error, const std::string& call) {
    if (error == CUDA_SUCCESS) return;
    const char *name = nullptr, *text = nullptr;
    driver().error_name(error, &name);
    driver().error_text(error, &text);
    throw CudaError("CUDA: " + call + ": " + (name ? name : "error " + std::to_string(int(error))) + " (" +
                    (text ? text : "?") + ")");
}

}  // namespace

LoadedKernels::LoadedKernels(const std::string& cubin, const CudaStream& stream) : stream_(stream) {
    stream.use_device();
    CUmodule module = nullptr;
    check(driver().load(&module, cubin.data()), "cuModuleLoadData");
    module_ = module;
}

LoadedKernels::~LoadedKernels() {
    cudaSetDevice(stream_.device());  // a failure will be reported by the next call
    driver().unload(static_cast<CUmodule>(module_));
}

LoadedKernel LoadedKernels::find(const std::string& name) const {
    CUfunction function = nullptr;
    check(driver().find(&function, static_cast<CUmodule>(module_), name.c_str()), name);
    return {function};
}

KernelResources prepare_kernel(const LoadedKernel& kernel, int threads, int shared_bytes) {
    const auto function = static_cast<CUfunction>(kernel.function);
    const auto attribute = [&](CUfunction_attribute name) {
        int value = 0;
        check(driver().get(&value, name, function), "cuFuncGetAttribute");
        return value;
    };
    KernelResources resources{attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
                              attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
    // Fails if the kernel needs more than the device has; then `blocks` stays 0.
    if (driver().set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes) == CUDA_SUCCESS)
        check(driver().blocks(&resources.blocks, function, threads, std::size_t(shared_bytes)),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return resources;
}

void launch_kernel(const LoadedKernel& kernel,
                   const LaunchShape& shape,
                   std::span<const void* const> arguments,
                   CudaStream& stream) {
    const auto launch = [&](auto* call, auto... extra) {
        return call(static_cast<CUfunction>(kernel.function),
                    shape.blocks_x,
                    shape.blocks_y,
                    shape.blocks_z,
                    shape.threads_x,
                    shape.threads_y,
                    1,
                    shape.shared_bytes,
                    cuda_handle(stream),
                    const_cast<void**>(arguments.data()),
                    extra...);
    };
    check(shape.cooperative ? launch(driver().launch_cooperatively) : launch(driver().launch, nullptr),
          shape.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
}

}  // namespace stencil::equation
