#include "sim/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "kernels/cpu/thread_pool.h"
#include "kernels/methods/cpu/lifted_rows.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

std::string read_cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const std::size_t colon = line.find(": "); colon != std::string::npos)
                return line.substr(colon + 2);
    return "CPU";
}

}  // namespace

Machine query_machine() {
    Machine machine;
    machine.cpu_name = read_cpu_name();
    machine.cpu_threads = available_threads();
    machine.simd = simd_target();
    machine.memory = query_host_memory();
    machine.cuda = query_cuda();
    return machine;
}

int thread_count(int asked, int processors) {
    return asked == 0 ? processors : std::min(asked, std::max(4 * processors, 64));
}

void require_backend(const std::string& backend, const Machine& machine) {
    if (backend == "cuda" && !machine.has_cuda())
        throw InputError(fmt::format("--backend cuda needs CUDA, and {} (allowed here: auto, cpu)",
                                     machine.cuda.why_none));
}

std::string device_name(const Machine& machine, Device device, int threads) {
    if (device == Device::cuda) return machine.cuda.devices.front().name;
    return fmt::format("{} ({} thread{})", machine.cpu_name, threads, threads == 1 ? "" : "s");
}

}  // namespace stencil
