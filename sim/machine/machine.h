// What the program runs on.
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
    std::uint64_t gpu_free_bytes = 0;  ///< of the GPU in use

    bool has_cuda() const { return !cuda.devices.empty(); }
    /// The one in use, where there is any.
    const CudaDevice& gpu() const;
};

/// From now on the GPU in use is the one of this number. Throws InputError where there is none such.
void choose_gpu(std::string_view number);

Machine query_machine();

/// Threads to start where so many are asked for, 0 being one for each processor: at most 4 for each, or 64.
/// More only wait for one another, and a spec.json of a larger machine runs here too.
int thread_count(int asked, int processors);

/// Throws InputError where the backend (auto, cpu or cuda) is cuda and there is none.
void require_backend(const std::string& backend, const Machine& machine);

/// The device's name, e.g. "NVIDIA H200", or the processor's with its thread count.
std::string device_name(const Machine& machine, Device device, int threads);

}  // namespace stencil
