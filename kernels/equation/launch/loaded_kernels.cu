#include "kernels/equation/launch/loaded_kernels.h"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/driver_function.cuh"

namespace stencil::equation {

// Uses the driver API, because the runtime can load cubins only from CUDA 12.8 on.

LoadedKernels::LoadedKernels(const std::string& cubin, const CudaStream& stream) : stream_(stream) {
    stream.use_device();
    CUmodule module = nullptr;
    check_driver(DRIVER(cuModuleLoadData)(&module, cubin.data()), "cuModuleLoadData");
    module_ = module;
}

LoadedKernels::~LoadedKernels() {
    cudaSetDevice(stream_.device());  // a failure will be reported by the next call
    DRIVER(cuModuleUnload)(static_cast<CUmodule>(module_));
}

LoadedKernel LoadedKernels::find(const std::string& name) const {
    CUfunction function = nullptr;
    check_driver(DRIVER(cuModuleGetFunction)(&function, static_cast<CUmodule>(module_), name.c_str()), name);
    return {function};
}

KernelResources prepare_kernel(const LoadedKernel& kernel, int threads, int shared_bytes) {
    const auto function = static_cast<CUfunction>(kernel.function);
    const auto attribute = [&](CUfunction_attribute name) {
        int value = 0;
        check_driver(DRIVER(cuFuncGetAttribute)(&value, name, function), "cuFuncGetAttribute");
        return value;
    };
    KernelResources resources{attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
                              attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
    // Fails if the kernel needs more than the device has; then `blocks` stays 0.
    if (DRIVER(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes) ==
        CUDA_SUCCESS)
        check_driver(DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                         &resources.blocks, function, threads, std::size_t(shared_bytes)),
                     "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    const int all_shared = shared_bytes + attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    resources.blocks = std::min(resources.blocks, current_gpu_facts().blocks_with(all_shared));
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
    check_driver(shape.cooperative ? launch(DRIVER(cuLaunchCooperativeKernel))
                                   : launch(DRIVER(cuLaunchKernel), nullptr),
                 shape.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
}

}  // namespace stencil::equation
