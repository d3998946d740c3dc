#include "sim/field/random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace stencil {
namespace {

// NumPy's SeedSequence: spreads the seed over a pool of four 32-bit words and derives the generator's state.
// The constants are from its documentation (after Melissa O'Neill's randutils::seed_seq_fe).
class SeedSequence {
  public:
    explicit SeedSequence(std::uint64_t seed) {
        // The seed as little-endian 32-bit words without leading zeros; one word for 0.
        const std::array<std::uint32_t, 2> words{std::uint32_t(seed), std::uint32_t(seed >> 32)};
        const std::size_t count = words[1] != 0 ? 2 : 1;
        std::uint32_t constant = 0x43b0d7e5;
        const auto hash = [&](std::uint32_t value) {
            value ^= constant;
            constant *= 0x931e8875;
            value *= constant;
            return value ^ (value >> 16);
        };
        for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(i < count ? words[i] : 0);
        for (std::size_t from = 0; from < pool_.size(); ++from)
            for (std::size_t to = 0; to < pool_.size(); ++to)
                if (from != to) pool_[to] = mix(pool_[to], hash(pool_[from]));
    }

    // The words of generate_state(n, uint32), one per call.
    std::uint32_t next() {
        std::uint32_t value = pool_[position_++ % pool_.size()];
        value ^= constant_;
        constant_ *= 0x58f38ded;
        value *= constant_;
        return value ^ (value >> 16);
    }

    std::uint64_t next64() {
        const std::uint64_t low = next();
        return low | std::uint64_t(next()) << 32;
    }

  private:
    static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
        const std::uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;
        return value ^ (value >> 16);
    }

    std::array<std::uint32_t, 4> pool_{};
    std::uint32_t constant_ = 0x8b51f9dd;
    std::size_t position_ = 0;
};

}  // namespace

Random::Random(std::uint64_t seed) {
    SeedSequence sequence(seed);
    const auto next128 = [&] {
        const Uint128 high = sequence.next64();
        return high << 64 | sequence.next64();
    };
    const Uint128 start = next128();
    increment_ = next128() << 1 | 1;
    next64();
    state_ += start;
    next64();
}

// Skips ahead by repeated squaring of the LCG step: F. Brown, Random number generation with arbitrary
// strides, Trans. Am. Nucl. Soc. 71 (1994).
void Random::skip_floats(std::uint64_t count) {
    Uint128 factor = 1, addend = 0, step_factor = kMultiplier, step_addend = increment_;
    for (std::uint64_t draws = count / 2; draws > 0; draws /= 2) {
        if (draws % 2 == 1) {
            factor *= step_factor;
            addend = addend * step_factor + step_addend;
        }
        step_addend *= step_factor + 1;
        step_factor *= step_factor;
    }
    state_ = state_ * factor + addend;
    if (count % 2 == 1) next32();
}

std::uint64_t Random::next64() {
    state_ = state_ * kMultiplier + increment_;
    const std::uint64_t folded = std::uint64_t(state_ >> 64) ^ std::uint64_t(state_);
    return std::rotr(folded, int(state_ >> 122));
}

std::uint32_t Random::next32() {
    has_half_ = !has_half_;
    if (!has_half_) return half_;
    const std::uint64_t both = next64();
    half_ = std::uint32_t(both >> 32);
    return std::uint32_t(both);
}

float Random::next_float() {
    return float(next32() >> 8) * 0x1p-24f;
}

double Random::next_double() {
    return double(next64() >> 11) * 0x1p-53;
}

}  // namespace stencil
