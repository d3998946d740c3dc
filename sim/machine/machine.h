// What the program runs on.
#pragma once

#include <string>

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

    bool has_cuda() const { return !cuda.devices.empty(); }
};

Machine query_machine();

/// Threads to start where so many are asked for, 0 being one for each processor: at most 4 for each, or 64.
/// More only wait for one another, and a spec.json of a larger machine runs here too.
int thread_count(int asked, int processors);

/// Throws InputError where the backend (auto, cpu or cuda) is cuda and there is none.
void require_backend(const std::string& backend, const Machine& machine);

/// The device's name, e.g. "NVIDIA H200", or the processor's with its thread count.
std::string device_name(const Machine& machine, Device device, int threads);

}  // namespace stencil
