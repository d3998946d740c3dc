#include "sim/field/field_hash.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace stencil {

static_assert(std::endian::native == std::endian::little);

std::uint64_t xxh64(std::span<const std::byte> bytes) {
    return XXH64(bytes.data(), bytes.size(), 0);
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
            using Cell = typename decltype(one_nan)::value_type;
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
