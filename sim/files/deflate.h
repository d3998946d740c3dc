// Bytes compressed as browsers and Python's zlib read them (RFC 1950).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {

std::string deflated(std::string_view bytes);

/// Returns nothing if the bytes are damaged or the result would be longer than `most`.
std::optional<std::string> inflated(std::string_view bytes, std::size_t most);

/// Inflates `size` bytes without zlib's frame (RFC 1951), as in ZIP archives; empty if they are damaged or of
/// another size.
std::optional<std::string> inflated_member(std::string_view bytes, std::size_t size);

/// CRC-32, as in ZIP archives.
std::uint32_t checksum(std::string_view bytes);

}  // namespace stencil
