// A number for the bits of a field: the same bits have the same one on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// XXH64 with seed 0 (Collet, github.com/Cyan4973/xxHash, specification 0.2.0).
std::uint64_t xxh64(std::span<const std::byte> bytes);

/// XXH64 of the field as a little-endian array of 64-bit words: bytes of a cell, columns, rows, and for each
/// row the XXH64 of its cells' bytes, every NaN as the quiet one without a sign. 16 hexadecimal digits.
std::string field_hash(const Field& field);
/// The same of a field whose rows are hashed where they are.
std::vector<std::uint64_t> row_hashes(const Field& rows);
std::string field_hash(DType dtype, int nx, std::span<const std::uint64_t> rows);

/// The same of several components: XXH64 of their field_hash() texts, one after the other; of a single one
/// its own.
std::string field_hash(std::span<const Field> components);
/// That of components whose own hashes are known, at least one.
std::string joined_hash(std::span<const std::string> hashes);

}  // namespace stencil
