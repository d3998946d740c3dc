// Hashes of fields: equal bits give equal hashes on every machine.
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

/// XXH64 of little-endian 64-bit words: bytes per cell, columns, rows, and per row the XXH64 of its cells,
/// with every NaN as the positive quiet one. 16 hexadecimal digits.
std::string field_hash(const Field& field);
/// The parts of that hash, for fields whose rows are hashed by different processes.
std::vector<std::uint64_t> row_hashes(const Field& rows);
std::string field_hash(DType dtype, int nx, std::span<const std::uint64_t> rows);

/// The hash of several components: XXH64 of their hash texts in order; for one component, its own.
std::string field_hash(std::span<const Field> components);
/// Joins the hashes of one or more components.
std::string joined_hash(std::span<const std::string> hashes);

}  // namespace stencil
