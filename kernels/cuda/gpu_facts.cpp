#include "kernels/cuda/gpu_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {
namespace {

constexpr int kKilobyte = 1024, kRegisters = 65536;

// Shared memory, registers, lanes and the rate of float64: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability" and "Throughput of Native Arithmetic Instructions". Multiprocessors,
// clocks and bandwidths: NVIDIA's data sheets of these cards.
constexpr std::array<KnownGpu, 7> kKnown{{
    {"T4", {75, 40, 64 * kKilobyte, 64 * kKilobyte, kRegisters, true, 40 * 64 * 1.59 / 320, 32}},
    {"A100", {80, 108, 163 * kKilobyte, 164 * kKilobyte, kRegisters, true, 108 * 64 * 1.41 / 1555, 2}},
    {"RTX 3060", {86, 28, 99 * kKilobyte, 100 * kKilobyte, kRegisters, true, 28 * 128 * 1.78 / 360, 64}},
    {"RTX 4090", {89, 128, 99 * kKilobyte, 100 * kKilobyte, kRegisters, true, 128 * 128 * 2.52 / 1008, 64}},
    {"H200", {90, 132, 227 * kKilobyte, 228 * kKilobyte, kRegisters, true, 132 * 128 * 1.98 / 4917, 2}},
    {"B200", {100, 148, 227 * kKilobyte, 228 * kKilobyte, kRegisters, true, 148 * 128 * 1.97 / 8000, 2}},
    {"RTX 5090", {120, 170, 99 * kKilobyte, 100 * kKilobyte, kRegisters, true, 170 * 128 * 2.41 / 1792, 64}},
}};

// The facts in place of the device's, or what is wrong with the value.
std::pair<std::optional<GpuFacts>, std::string> read(std::string_view value) {
    if (value.empty()) return {};
    const std::size_t comma = value.find(',');
    const auto found = std::ranges::find_if(kKnown, [&](const KnownGpu& gpu) {
        return capability_name(gpu.facts.capability) == value.substr(0, comma);
    });
    bool right = found != kKnown.end();
    GpuFacts facts = right ? found->facts : GpuFacts{};
    if (comma != std::string_view::npos) {
        const char *begin = value.data() + comma + 1, *end = value.data() + value.size();
        const auto read = std::from_chars(begin, end, facts.multiprocessors);
        right = right && read.ec == std::errc() && read.ptr == end && facts.multiprocessors > 0 &&
                facts.multiprocessors <= 1024;
    }
    if (right) return {facts, ""};
    std::string allowed;
    for (const KnownGpu& gpu : kKnown)
        allowed += (allowed.empty() ? "" : ", ") + capability_name(gpu.facts.capability);
    return {std::nullopt,
            "STENCILSCOPE_AS_GPU=" + std::string(value) + ": there is no such GPU (allowed here: " + allowed +
                ", each also with its multiprocessors, as in 8.6,132)"};
}

struct Acting {
    Acting() {
        const char* value = std::getenv("STENCILSCOPE_AS_GPU");
        std::tie(facts, why_not) = read(value ? value : "");
    }
    std::mutex mutex;
    std::optional<GpuFacts> facts;
    std::string why_not;
};

Acting& acting() {
    static Acting all;
    return all;
}

// A plan for the acted GPU must run on this one: blocks that wait for each other need a multiprocessor each.
GpuFacts limited(GpuFacts acted, const GpuFacts& here) {
    acted.multiprocessors = std::min(acted.multiprocessors, here.multiprocessors);
    acted.shared_per_block = std::min(acted.shared_per_block, here.shared_per_block);
    acted.shared_per_multiprocessor =
        std::min(acted.shared_per_multiprocessor, here.shared_per_multiprocessor);
    acted.cooperative = here.cooperative;
    return acted;
}

std::optional<GpuFacts> facts_acted() {
    const std::lock_guard lock(acting().mutex);
    return acting().facts;
}

}  // namespace

std::string capability_name(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::span<const KnownGpu> known_gpus() {
    return kKnown;
}

const KnownGpu& known_gpu(int capability) {
    const KnownGpu* best = &kKnown.front();
    for (const KnownGpu& gpu : kKnown)
        if (gpu.facts.capability <= capability) best = &gpu;
    return *best;
}

GpuFacts gpu_facts(int device) {
    const std::optional<GpuFacts> acted = facts_acted();
    for (const CudaDevice& one : query_cuda().devices)
        if (one.index == device) return acted ? limited(*acted, one.facts) : one.facts;
    return acted.value_or(GpuFacts{});
}

GpuFacts gpu_facts() {
    return gpu_facts(default_cuda_device());
}

std::string act_as_gpu(std::string_view value) {
    auto [facts, why_not] = read(value);
    if (!why_not.empty()) return why_not;
    const std::lock_guard lock(acting().mutex);
    acting().facts = facts;
    return "";
}

const std::string& why_not_as_gpu() {
    return acting().why_not;
}

bool acts_as_other_gpu() {
    return facts_acted().has_value();
}

}  // namespace stencil
