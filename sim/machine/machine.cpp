#include "sim/machine/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "kernels/methods/cpu/lifted_rows.h"
#include "sim/machine/communicator.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

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

// sysconf() counts the caches of the whole package, although a virtual machine may have only one of them.
std::size_t read_last_level_cache_bytes() {
    std::map<std::string, std::size_t> caches;  // keyed by the processors that share the cache
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu", none)) {
        const std::filesystem::path cache = entry.path() / "cache/index3";
        std::string sharers;
        std::size_t kilobytes = 0;
        if (std::ifstream(cache / "shared_cpu_list") >> sharers && std::ifstream(cache / "size") >> kilobytes)
            caches[sharers] = kilobytes << 10;
    }
    std::size_t sum = 0;
    for (const auto& [sharers, bytes] : caches) sum += bytes;
    return sum > 0 ? sum : std::size_t(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
}

}  // namespace

Machine query_machine() {
    if (!why_not_as_gpu().empty()) throw InputError("{}", why_not_as_gpu());
    Machine machine;
    static const std::string name = read_cpu_name();
    machine.cpu_name = name;
    machine.cpu_threads = std::max(available_threads() / Communicator::all().host_size(), 1);
    machine.simd = simd_target();
    machine.memory = query_host_memory();
    machine.cuda = query_cuda();
    machine.gpu_free_bytes = cuda_memory().free_bytes;
    return machine;
}

std::size_t last_level_cache_bytes() {
    static const std::size_t bytes = read_last_level_cache_bytes();
    return bytes;
}

int thread_count(int asked, int processors) {
    return asked == 0 ? processors : std::min(asked, std::max(4 * processors, 64));
}

const CudaDevice& Machine::gpu() const {
    const auto found = std::ranges::find(cuda.devices, default_cuda_device(), &CudaDevice::index);
    return found == cuda.devices.end() ? cuda.devices.front() : *found;
}

void choose_gpu(std::string_view number) {
    const CudaStatus& cuda = query_cuda();
    std::vector<std::string> known;
    for (const CudaDevice& device : cuda.devices) known.push_back(std::to_string(device.index));
    if (known.empty()) throw InputError("--device {} needs CUDA, and {}", quotable(number), cuda.why_none);
    if (!contains(known, number))
        throw InputError(Given{"device", quotable(number)},
                         "there is no such GPU (allowed here: {})",
                         fmt::join(known, ", "));
    choose_cuda_device(std::stoi(std::string(number)));
}

void require_backend(const std::string& backend, const Machine& machine) {
    if (backend == "cuda" && !machine.has_cuda())
        throw InputError("--backend cuda needs CUDA, and {} (allowed here: auto, cpu)",
                         machine.cuda.why_none);
}

std::string device_name(const Machine& machine, Device device, int threads) {
    if (device == Device::cuda) return machine.gpu().name;
    return fmt::format("{} ({} thread{})", machine.cpu_name, threads, threads == 1 ? "" : "s");
}

}  // namespace stencil
