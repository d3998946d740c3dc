#include "sim/machine/host_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "sim/machine/control_group.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

// A value of /proc/meminfo in bytes; 0 if missing.
std::uint64_t meminfo(const std::string& key) {
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        std::uint64_t kilobytes = 0;
        if (name == key + ":" && file >> kilobytes) return kilobytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

}  // namespace

HostMemory query_host_memory() {
    HostMemory memory;
    memory.total_bytes = meminfo("MemTotal");
    memory.free_bytes = meminfo("MemAvailable");
    if (memory.total_bytes == 0)
        memory.total_bytes = memory.free_bytes =
            std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
    memory.free_bytes = std::min(memory.free_bytes, control_group_limits().free_bytes);
    return memory;
}

std::uint64_t process_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    return file >> all >> resident ? resident * std::uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

int fitting_square(const MemoryDemand& demand) {
    const double fitting = std::max(0.0, demand.free_bytes - demand.fixed_bytes) / demand.bytes_per_cell;
    // Slightly less, because padding weighs more in smaller fields.
    return int(0.99 * std::min(std::sqrt(fitting), 1e9));
}

void require_memory(const MemoryDemand& demand, int nx, int ny) {
    const double needed = demand.bytes_per_cell * nx * ny + demand.fixed_bytes;
    if (needed <= demand.free_bytes) return;
    const int side = fitting_square(demand);
    throw MemoryError(fmt::format("not enough {}: {}x{} needs {} and {} is free; a field of {}x{} fits",
                                  demand.where,
                                  nx,
                                  ny,
                                  format_bytes(needed),
                                  format_bytes(demand.free_bytes),
                                  side,
                                  side));
}

}  // namespace stencil
