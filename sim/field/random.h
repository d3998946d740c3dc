// NumPy's random numbers: np.random.default_rng(seed).random(), bit for bit.
#pragma once

#include <cstdint>

namespace stencil {

/// PCG64 (128-bit LCG, XSL-RR output) seeded through NumPy's SeedSequence. Known answers are in
/// tests/reference/random_numbers.json.
class Random {
  public:
    explicit Random(std::uint64_t seed);

    /// Uniform on [0, 1) as default_rng(seed).random(dtype=np.float32): 24 bits, two per 64-bit draw, low
    /// half first.
    float next_float();

    /// Uniform on [0, 1) as default_rng(seed).random(): 53 bits.
    double next_double();

    /// Skips `count` calls of next_float(). Must come before any draw.
    void skip_floats(std::uint64_t count);

    /// next_float() or next_double(), by type.
    template <class T>
    T next() {
        if constexpr (sizeof(T) == sizeof(float))
            return next_float();
        else
            return next_double();
    }

  private:
    __extension__ using Uint128 = unsigned __int128;

    static constexpr Uint128 kMultiplier = Uint128(0x2360ed051fc65da4) << 64 | 0x4385df649fccf645;

    std::uint64_t next64();
    std::uint32_t next32();

    Uint128 state_ = 0;
    Uint128 increment_ = 0;
    std::uint32_t half_ = 0;
    bool has_half_ = false;
};

}  // namespace stencil
