#include "sim/machine/host_memory.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "sim/text/parse.h"

namespace stencil {
namespace fs = std::filesystem;
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

// Version 1 reports no limit as a number near 2^63, version 2 as the word "max".
constexpr double kNoLimit = 9e18;

double number_or(const fs::path& path, double otherwise) {
    std::ifstream file(path);
    double value = 0;
    return file >> value ? value : otherwise;
}

// A value from a file of lines "key value"; 0 if missing.
double value_of(const fs::path& path, const std::string& key) {
    std::ifstream file(path);
    double value = 0;
    for (std::string name; file >> name >> value;)
        if (name == key) return value;
    return 0;
}

struct MemoryFiles {
    const char *limit, *used, *inactive;
};
constexpr MemoryFiles kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr MemoryFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

void limit_memory(const fs::path& folder, const MemoryFiles& files, ControlGroupLimits& limits) {
    const double limit = number_or(folder / files.limit, kNoLimit);
    if (!(limit < kNoLimit)) return;
    const double used = number_or(folder / files.used, 0) - value_of(folder / "memory.stat", files.inactive);
    const double free = std::max(limit - std::max(used, 0.0), 0.0);
    limits.free_bytes = std::min(limits.free_bytes, std::uint64_t(free));
}

// Applies a limit of `quota` microseconds of CPU time per `period`.
void limit_processors(double quota, double period, ControlGroupLimits& limits) {
    if (quota > 0 && period > 0) limits.processors = std::min(limits.processors, quota / period);
}

void limit_version2(const fs::path& folder, ControlGroupLimits& limits) {
    limit_memory(folder, kVersion2, limits);
    std::ifstream file(folder / "cpu.max");
    double quota = 0, period = 0;
    if (file >> quota >> period) limit_processors(quota, period, limits);
}

void limit_version1(const fs::path& folder, ControlGroupLimits& limits) {
    limit_memory(folder, kVersion1, limits);
    limit_processors(
        number_or(folder / "cpu.cfs_quota_us", 0), number_or(folder / "cpu.cfs_period_us", 0), limits);
}

// Calls f(folder) for the group `path` below `base` and all its ancestors.
template <class F>
void for_groups(const fs::path& base, const std::string& path, F&& f) {
    fs::path group = fs::path(path).lexically_normal().relative_path();
    for (; !group.empty(); group = group.parent_path()) f(base / group);
    f(base);
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
    // With a small margin, because padding is a larger share of smaller fields.
    return int(0.99 * std::min(std::sqrt(fitting), 1e9));
}

void require_memory(const MemoryDemand& demand, int nx, int ny) {
    const double needed = demand.bytes_per_cell * nx * ny + demand.fixed_bytes;
    if (needed <= demand.free_bytes) return;
    const int side = fitting_square(demand);
    throw MemoryError(fmt::format("not enough {}: {}x{} needs {} and {} is free; {}",
                                  demand.where,
                                  nx,
                                  ny,
                                  format_bytes(needed),
                                  format_bytes(demand.free_bytes),
                                  side > 0 ? fmt::format("a field of {0}x{0} fits", side) : "no field fits"));
}

ControlGroupLimits control_group_limits(const std::string& root) {
    ControlGroupLimits limits;
    const fs::path base = root + "/sys/fs/cgroup";
    std::ifstream file(root + "/proc/self/cgroup");
    // The format is hierarchy:controllers:path.
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty())
            for_groups(base, path, [&](const fs::path& folder) { limit_version2(folder, limits); });
        std::istringstream names(controllers);
        for (std::string name; std::getline(names, name, ',');)
            if (name == "memory" || name == "cpu")
                for_groups(
                    base / name, path, [&](const fs::path& folder) { limit_version1(folder, limits); });
    }
    return limits;
}

int available_threads() {
    int processors = int(std::thread::hardware_concurrency());
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) processors = CPU_COUNT(&allowed);
    static const double share = std::ceil(control_group_limits().processors);
    return std::max(1, int(std::min(double(processors), share)));
}

}  // namespace stencil
