// Bytes compressed as browsers and Python's zlib read them (RFC 1950).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {

std::string deflated(std::string_view bytes);

/// Returns nothing if the bytes are damaged or the result would be longer than `most`.
std::optional<std::string> inflated(std::string_view bytes, std::size_t most);

}  // namespace stencil
