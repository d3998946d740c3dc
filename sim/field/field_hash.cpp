#include "sim/field/field_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

namespace stencil {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                        kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                        kPrime5 = 0x27D4EB2F165667C5;

template <class T>
T read(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
    return std::rotl(sum + word * kPrime2, 31) * kPrime1;
}

// Steps 1 to 4 of the specification: four lanes over stripes of 32 bytes, then merged.
std::uint64_t stripes(const std::byte*& next, const std::byte* end) {
    std::array<std::uint64_t, 4> sums{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (; end - next >= 32; next += 32)
        for (std::size_t i = 0; i < 4; ++i) sums[i] = mixed(sums[i], read<std::uint64_t>(next + 8 * i));
    std::uint64_t hash =
        std::rotl(sums[0], 1) + std::rotl(sums[1], 7) + std::rotl(sums[2], 12) + std::rotl(sums[3], 18);
    for (const std::uint64_t sum : sums) hash = (hash ^ mixed(0, sum)) * kPrime1 + kPrime4;
    return hash;
}

}  // namespace

std::uint64_t xxh64(std::span<const std::byte> bytes) {
    const std::byte* next = bytes.data();
    const std::byte* const end = next + bytes.size();
    std::uint64_t hash = bytes.size() >= 32 ? stripes(next, end) : kPrime5;
    hash += bytes.size();
    for (; end - next >= 8; next += 8)
        hash = std::rotl(hash ^ mixed(0, read<std::uint64_t>(next)), 27) * kPrime1 + kPrime4;
    for (; end - next >= 4; next += 4)
        hash = std::rotl(hash ^ (read<std::uint32_t>(next) * kPrime1), 23) * kPrime2 + kPrime3;
    for (; next < end; ++next) hash = std::rotl(hash ^ (std::uint64_t(*next) * kPrime5), 11) * kPrime1;
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
}

std::vector<std::uint64_t> row_hashes(const Field& rows) {
    std::vector<std::uint64_t> hashes;
    rows.visit([&](const auto& array) {
        const std::size_t row = std::size_t(array.nx());
        for (int y = 0; y < array.ny(); ++y) {
            const auto cells = array.cells().subspan(std::size_t(y) * row, row);
            const auto is_nan = [](auto cell) { return cell != cell; };
            if (std::ranges::none_of(cells, is_nan)) {
                hashes.push_back(xxh64(std::as_bytes(cells)));
                continue;
            }
            // The bits of a NaN result depend on processor and compiler, so all NaNs are hashed alike.
            std::vector one_nan(cells.begin(), cells.end());
            using Cell = decltype(one_nan)::value_type;
            std::ranges::replace_if(one_nan, is_nan, std::numeric_limits<Cell>::quiet_NaN());
            hashes.push_back(xxh64(std::as_bytes(std::span(one_nan))));
        }
    });
    return hashes;
}

std::string field_hash(DType dtype, int nx, std::span<const std::uint64_t> rows) {
    std::vector<std::uint64_t> words{bytes_of(dtype), std::uint64_t(nx), rows.size()};
    words.insert(words.end(), rows.begin(), rows.end());
    return fmt::format("{:016x}", xxh64(std::as_bytes(std::span(words))));
}

std::string field_hash(const Field& field) {
    return field_hash(field.dtype(), field.nx(), row_hashes(field));
}

std::string field_hash(std::span<const Field> components) {
    std::vector<std::string> hashes;
    for (const Field& component : components) hashes.push_back(field_hash(component));
    return joined_hash(hashes);
}

std::string joined_hash(std::span<const std::string> hashes) {
    if (hashes.size() == 1) return hashes.front();
    std::string all;
    for (const std::string& hash : hashes) all += hash;
    return fmt::format("{:016x}", xxh64(std::as_bytes(std::span(all))));
}

}  // namespace stencil
