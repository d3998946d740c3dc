// Random numbers of cells: Philox4x32-10 (Salmon et al. 2011), a pure function of cell, step, seed and
// stream.
#pragma once

#include <array>
#include <cstdint>

namespace stencil::equation {

struct RandomKey {
    std::uint64_t seed = 0;
    long long step = 0;
    int stream = 0;
};

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = std::uint64_t(0xD2511F53u) * c[0], q = std::uint64_t(0xCD9E8D57u) * c[2];
        c = {std::uint32_t(q >> 32) ^ c[1] ^ key[0],
             std::uint32_t(q),
             std::uint32_t(p >> 32) ^ c[3] ^ key[1],
             std::uint32_t(p)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return c;
}

/// In [0, 1): 24 bits in float32, 53 in float64.
template <class T>
T random_cell(const RandomKey& key, int x, int y) {
    const auto step = std::uint64_t(key.step);
    const auto words = philox({std::uint32_t(x),
                               std::uint32_t(y),
                               std::uint32_t(step),
                               std::uint32_t(key.stream) ^ (std::uint32_t(step >> 32) << 16)},
                              {std::uint32_t(key.seed), std::uint32_t(key.seed >> 32)});
    if constexpr (sizeof(T) == 4)
        return T(words[0] >> 8) * T(0x1p-24);
    else
        return T((std::uint64_t(words[0]) << 21) ^ (words[1] >> 11)) * T(0x1p-53);
}

}  // namespace stencil::equation
