// Float64 matrices as integers modulo small numbers, for tensor cores that multiply 8-bit integers: scheme II
// of Ozaki, Uchino and Imamura (arXiv 2504.08009).
//
// Each row of A and each column of B is scaled by a power of two and rounded to integers of up to 2^bits,
// with bits such that all of C is below half of the product M of the moduli. Modulo each of them the factors
// are 8-bit numbers, their products' sums exact, and the Chinese remainder theorem makes C of its remainders.
// So errors come from the first rounding alone: 2^-(bits + 1) of the largest value of each row of A and
// column of B. That is float64's own accuracy for rows whose values are of one magnitude, and less for small
// values beside large ones.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/field/host_device.h"

namespace stencil::matmul {

inline constexpr int kModuli = 14;
/// Pairwise coprime, the largest that residues from -p/2 to p/2 in 8 bits allow.
struct Moduli {
    int of[kModuli] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199};
};

/// Sums of more products of two 8-bit numbers would not fit in 32 bits.
inline constexpr std::int64_t kMaxResidueTerms = 131071;

__extension__ using Uint128 = unsigned __int128;

/// M.
inline Uint128 modulus_product() {
    Uint128 product = 1;
    for (const int p : Moduli().of) product *= Uint128(p);
    return product;
}

/// Bits of the integers for sums of k products.
inline int residue_bits(std::int64_t k) {
    constexpr int kMax = 50;  // for residue_of()
    int bits = 0;
    while (bits < kMax && Uint128(2 * k) << (2 * (bits + 1)) < modulus_product()) ++bits;
    return bits;
}

/// The residue of an integer of up to 2^50 in size, from -p/2 to p/2 (128 may stand for -128 modulo 256). The
/// quotient is off by less than 2^-52 x / p, and x / p is 1 / (2 p) from where rounding changes, if p is odd:
/// so it is exact.
STENCIL_HOST_DEVICE inline int residue_of(double x, double p) {
    const double quotient = std::rint(x * (1 / p));
    return int(std::fma(-quotient, p, x));
}

/// A number of up to 111 bits in two float64: multiples of 2^kSplitBit whose sums of 14 x 128 are exact, and
/// the rest, rounded.
struct SplitNumber {
    double high, low;
};
inline constexpr int kSplitBit = 70;

inline SplitNumber split_number(Uint128 value) {
    const Uint128 high = value >> kSplitBit;
    return {double(std::uint64_t(high)) * double(Uint128(1) << kSplitBit),
            double(value - (high << kSplitBit))};
}

/// What is 1 modulo one of the moduli and 0 modulo the others.
struct Reconstruction {
    SplitNumber weight[kModuli];
    SplitNumber product;  ///< M
    double inverse;       ///< 1 / M
};

inline Reconstruction reconstruction() {
    Reconstruction r{};
    const Uint128 all = modulus_product();
    for (int i = 0; i < kModuli; ++i) {
        const auto p = Uint128(Moduli().of[i]);
        const Uint128 others = all / p;
        Uint128 inverse = 1;
        while (others % p * inverse % p != 1) ++inverse;
        r.weight[i] = split_number(others * inverse);
    }
    r.product = split_number(all);
    r.inverse = 1 / (r.product.high + r.product.low);
    return r;
}

/// The number below M / 2 in size that has these residues, rounded but for 2^32 (of some 2^110): the sum of
/// residue times weight is it plus a multiple of M.
STENCIL_HOST_DEVICE inline double value_of(const int (&residue)[kModuli], const Reconstruction& from) {
    double high = 0, low = 0;
    for (int i = 0; i < kModuli; ++i) {
        const double r = residue[i];
        high = std::fma(r, from.weight[i].high, high);
        low = std::fma(r, from.weight[i].low, low);
    }
    const double times = std::rint((high + low) * from.inverse);
    return std::fma(-times, from.product.high, high) + std::fma(-times, from.product.low, low);
}

}  // namespace stencil::matmul
