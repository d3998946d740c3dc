#include "sim/session/memory_watch.h"

#include "kernels/cuda/cuda_runtime.h"
#include "sim/machine/host_memory.h"

namespace stencil {

const MemoryUse& MemoryWatch::look(const Machine& machine) {
    constexpr auto kInterval = std::chrono::milliseconds(500);
    if (Clock::now() - at_ < kInterval) return use_;
    at_ = Clock::now();
    const HostMemory host = query_host_memory();
    use_ = {};
    use_.host_total = double(host.total_bytes);
    use_.host_used = double(process_bytes());
    use_.host_free = double(host.free_bytes);
    if (!machine.has_cuda()) return use_;
    try {
        const CudaMemoryInfo gpu = cuda_memory();
        use_.gpu_total = double(gpu.total_bytes);
        use_.gpu_free = double(gpu.free_bytes);
        use_.gpu_used = use_.gpu_total - use_.gpu_free;
    } catch (const CudaError&) {
        // After a user's kernel has faulted, every CUDA call fails; that was already reported.
    }
    return use_;
}

}  // namespace stencil
