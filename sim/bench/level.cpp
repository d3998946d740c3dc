#include "sim/bench/level.h"

#include <unistd.h>

#include <algorithm>

namespace stencil {
namespace {

// Every multiprocessor since compute capability 3.0 has 65536 registers of 32 bits.
constexpr double kRegisterBytes = 65536 * 4.0;

double cache_bytes(int name) {
    return double(std::max(sysconf(name), 0L));
}

}  // namespace

std::string_view level_of(const SolverSetup& setup, const Machine& machine) {
    const double field = double(setup.nx) * setup.ny * double(bytes_of(setup.dtype));
    if (setup.method->device == Device::cuda) {
        const CudaDevice& gpu = machine.gpu();
        if (field <= gpu.multiprocessors * kRegisterBytes) return "registers";
        return 2 * field <= double(gpu.l2_bytes) ? "L2" : "memory";
    }
    if (2 * field <= setup.threads * cache_bytes(_SC_LEVEL2_CACHE_SIZE)) return "L2";
    return 2 * field <= cache_bytes(_SC_LEVEL3_CACHE_SIZE) ? "L3" : "memory";
}

}  // namespace stencil
