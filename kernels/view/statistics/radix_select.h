// Order statistics by radix selection, for host and device. A number maps to an unsigned key of the same
// order. Each pass histograms the next digit of the keys that start with the digits found so far; the counts
// tell which digit contains the wanted rank. Nothing is sorted or stored.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/field/host_device.h"

namespace stencil {

template <class V>
using RadixKey = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

inline constexpr int kRadixBits = 11;
inline constexpr int kRadixBins = 1 << kRadixBits;

template <class Key>
inline constexpr int kKeyBits = int(sizeof(Key) * 8);
template <class Key>
inline constexpr int kRadixPasses = (kKeyBits<Key> + kRadixBits - 1) / kRadixBits;

/// Bits of a key below the digit of a pass; the last digit may be shorter.
template <class Key>
STENCIL_HOST_DEVICE constexpr int radix_shift(int pass) {
    const int shift = kKeyBits<Key> - kRadixBits * (pass + 1);
    return shift > 0 ? shift : 0;
}

template <class Key>
STENCIL_HOST_DEVICE constexpr int radix_digit(Key key, int pass) {
    const int above = pass == 0 ? kKeyBits<Key> : radix_shift<Key>(pass - 1);
    const int shift = radix_shift<Key>(pass);
    return int((key >> shift) & ((Key(1) << (above - shift)) - 1));
}

/// Maps a number to a key of the same order (-0 precedes +0).
template <class V>
STENCIL_HOST_DEVICE constexpr RadixKey<V> radix_key(V value) {
    using Key = RadixKey<V>;
    constexpr Key sign = Key(1) << (kKeyBits<Key> - 1);
    const Key bits = std::bit_cast<Key>(value);
    return bits & sign ? Key(~bits) : Key(bits | sign);
}

template <class V>
STENCIL_HOST_DEVICE constexpr V radix_value(RadixKey<V> key) {
    using Key = RadixKey<V>;
    constexpr Key sign = Key(1) << (kKeyBits<Key> - 1);
    return std::bit_cast<V>(key & sign ? Key(key & ~sign) : Key(~key));
}

/// False for infinities and NaN, for which x - x is NaN.
template <class V>
STENCIL_HOST_DEVICE constexpr bool is_finite(V value) {
    return value - value == 0;
}

/// Two percentiles are selected at a time, each between two adjacent ranks.
inline constexpr int kPercentilesAtOnce = 2;
inline constexpr int kMaxRanks = 2 * kPercentilesAtOnce;

/// The state of a search for several ranks.
template <class Key>
struct RadixSearch {
    std::uint64_t count = 0;        ///< finite cells
    std::uint64_t rank[kMaxRanks];  ///< among the keys with the prefix
    Key prefix[kMaxRanks];          ///< the digits found so far, the others 0
    int slot[kMaxRanks];            ///< ranks with the same prefix share a slot of counts
    Key slot_prefix[kMaxRanks];
    int slots = 1;

    /// The slot whose prefix the key has, or -1. In pass 0 all keys are in slot 0.
    STENCIL_HOST_DEVICE constexpr int slot_of(Key key, int pass) const {
        if (pass == 0) return 0;
        const int shift = radix_shift<Key>(pass - 1);
        for (int i = 0; i < kMaxRanks; ++i)
            if (i < slots && key >> shift == slot_prefix[i] >> shift) return i;
        return -1;
    }

    /// Sets the ranks for the fractions (q / 100), once the cells are counted.
    STENCIL_HOST_DEVICE constexpr void begin(std::uint64_t cells, const double* fractions) {
        count = cells;
        for (int i = 0; i < kMaxRanks; ++i) {
            const std::uint64_t below = std::uint64_t(double(cells - 1) * fractions[i / 2]);
            rank[i] = i % 2 == 1 && below + 1 < cells ? below + 1 : below;
            prefix[i] = 0;
            slot[i] = 0;
        }
    }

    /// Assigns slots to the distinct prefixes.
    STENCIL_HOST_DEVICE constexpr void share_slots() {
        slots = 0;
        for (int i = 0; i < kMaxRanks; ++i) {
            int found = 0;
            while (found < slots && slot_prefix[found] != prefix[i]) ++found;
            if (found == slots) slot_prefix[slots++] = prefix[i];
            slot[i] = found;
        }
    }
};

}  // namespace stencil
