// What NVIDIA documents about the rate of its tensor cores.
#pragma once

namespace stencil {

enum class TensorKind { half, tf32, float64 };

/// Operations (a multiply-add is two) per clock and multiprocessor on matrices without prescribed zeros, with
/// sums in float32 (float64 for float64), by compute capability; 0 where it has no such units, or none
/// documented here. Sources: NVIDIA's architecture whitepapers (Turing TU102, Ampere A100 and GA102, Ada
/// AD102, Hopper H100, Blackwell). Cards for games have half of the rate of the workstation and data centre
/// cards of 7.5, 8.6, 8.9 and 12.0, which it is of.
constexpr double tensor_operations_per_clock(int major, int minor, TensorKind kind) {
    struct Entry {
        int major, minor;
        double per_clock[3];  // by TensorKind
    };
    constexpr Entry kTable[] = {{7, 5, {1024, 0, 0}},
                                {8, 0, {2048, 1024, 128}},
                                {8, 6, {1024, 512, 0}},
                                {8, 9, {1024, 512, 0}},
                                {9, 0, {4096, 2048, 256}},
                                {10, 0, {8192, 4096, 128}},
                                {12, 0, {1024, 512, 0}}};
    for (const Entry& entry : kTable)
        if (entry.major == major && entry.minor == minor) return entry.per_clock[int(kind)];
    return 0;
}

}  // namespace stencil
