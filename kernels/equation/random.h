// Random numbers per cell: Philox4x32-10 (Salmon et al. 2011), a pure function of cell, step, seed and
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

/// Philox' counter, which is mixed, and key, which each round increments.
struct PhiloxBlock {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
};
inline constexpr std::uint32_t kPhiloxFactors[] = {0xD2511F53u, 0xCD9E8D57u};
inline constexpr std::uint32_t kPhiloxWeyl[] = {0x9E3779B9u, 0xBB67AE85u};
inline constexpr int kPhiloxRounds = 10;

inline PhiloxBlock philox_block(const RandomKey& key, int x, int y) {
    const auto step = std::uint64_t(key.step);
    return {{std::uint32_t(x),
             std::uint32_t(y),
             std::uint32_t(step),
             std::uint32_t(key.stream) ^ (std::uint32_t(step >> 32) << 16)},
            {std::uint32_t(key.seed), std::uint32_t(key.seed >> 32)}};
}

inline std::array<std::uint32_t, 4> philox(PhiloxBlock block) {
    auto& [c, key] = block;
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const std::uint64_t p = std::uint64_t(kPhiloxFactors[0]) * c[0];
        const std::uint64_t q = std::uint64_t(kPhiloxFactors[1]) * c[2];
        c = {std::uint32_t(q >> 32) ^ c[1] ^ key[0],
             std::uint32_t(q),
             std::uint32_t(p >> 32) ^ c[3] ^ key[1],
             std::uint32_t(p)};
        for (std::size_t i = 0; i < key.size(); ++i) key[i] += kPhiloxWeyl[i];
    }
    return c;
}

/// Uniform in [0, 1): 24 bits in float32, 53 in float64.
template <class T>
T random_cell(const RandomKey& key, int x, int y) {
    const auto words = philox(philox_block(key, x, y));
    if constexpr (sizeof(T) == 4)
        return T(words[0] >> 8) * T(0x1p-24);
    else
        return T((std::uint64_t(words[0]) << 21) ^ (words[1] >> 11)) * T(0x1p-53);
}

}  // namespace stencil::equation
