#include "sim/user_kernel/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/field/divide.h"

namespace stencil::user_kernel {
namespace {

/// Limits of a multiprocessor: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
/// Capability".
struct Limits {
    int capability, warps, blocks, shared_bytes;
};
constexpr Limits kLimits[] = {{75, 32, 16, 64 << 10},
                              {80, 64, 32, 164 << 10},
                              {86, 48, 16, 100 << 10},
                              {89, 48, 24, 100 << 10},
                              {90, 64, 32, 228 << 10},
                              {100, 64, 32, 228 << 10},
                              {120, 48, 24, 100 << 10}};

constexpr int kAllRegisters = 65536;
constexpr int kRegisterUnit = 256;   // registers are given to a warp in units of this many
constexpr int kWarpUnit = 4;         // and as many warps to each of the four schedulers
constexpr int kSharedUnit = 128;     // bytes
constexpr int kSharedOfCuda = 1024;  // bytes that CUDA takes of each block, since 8.0

}  // namespace

std::string to_text(const Occupancy& occupancy) {
    if (occupancy.blocks == 0) return "no block fits a multiprocessor: " + occupancy.limited_by;
    return fmt::format("{} block{} of {} warp{} a multiprocessor, {:.0f}% of its {} warps, limited by {}",
                       occupancy.blocks,
                       occupancy.blocks == 1 ? "" : "s",
                       occupancy.warps / occupancy.blocks,
                       occupancy.warps == occupancy.blocks ? "" : "s",
                       100 * occupancy.share(),
                       occupancy.most,
                       occupancy.limited_by);
}

std::optional<Occupancy> occupancy_of(const Usage& usage, const LaunchShape& shape, int compute_capability) {
    const auto limits = std::ranges::find(kLimits, compute_capability, &Limits::capability);
    if (limits == std::end(kLimits)) return std::nullopt;
    const int warps = ceil_div(shape.block_x * shape.block_y, 32);
    const int registers = round_up(std::max(usage.registers, 1) * 32, kRegisterUnit);
    const int own = compute_capability >= 80 ? kSharedOfCuda : 0;
    const int shared = round_up(usage.shared_bytes + shape.shared_bytes + own, kSharedUnit);
    const std::pair<int, const char*> bounds[] = {
        {limits->warps / warps, "threads"},
        {limits->blocks, "blocks"},
        {kAllRegisters / registers / kWarpUnit * kWarpUnit / warps, "registers"},
        {shared == 0 ? limits->blocks : limits->shared_bytes / shared, "shared memory"}};
    const auto& least = *std::ranges::min_element(bounds, {}, &std::pair<int, const char*>::first);
    return Occupancy{least.first, least.first * warps, limits->warps, least.second};
}

}  // namespace stencil::user_kernel
