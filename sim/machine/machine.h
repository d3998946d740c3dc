// The machine that the program runs on.
#pragma once

#include <string>
#include <string_view>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/methods/method.h"
#include "sim/machine/host_memory.h"

namespace stencil {

struct Machine {
    std::string cpu_name;
    int cpu_threads = 1;
    std::string simd;
    HostMemory memory;
    CudaStatus cuda;
    std::uint64_t gpu_free_bytes = 0;  ///< on the GPU in use

    bool has_cuda() const { return !cuda.devices.empty(); }
    /// The GPU in use; there must be one.
    const CudaDevice& gpu() const;
};

/// Selects the GPU by number. Throws InputError if there is none of that number.
void choose_gpu(std::string_view number);

Machine query_machine();

/// Threads to start for a request (0: one per processor). Limited to the larger of 4 per processor and 64, so
/// that the spec.json of a larger machine runs here too.
int thread_count(int asked, int processors);

/// The total size in bytes of the third-level caches of all processors; 0 if unknown.
std::size_t last_level_cache_bytes();

/// Throws InputError if the backend (auto, cpu or cuda) is cuda and there is no GPU.
void require_backend(const std::string& backend, const Machine& machine);

/// The GPU's name, such as "NVIDIA H200", or the CPU's with the thread count.
std::string device_name(const Machine& machine, Device device, int threads);

}  // namespace stencil
