// Bytes as letters, digits and two signs (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stencil {

/// Encodes with padding by '='.
std::string base64(std::string_view bytes);

/// Encodes for links: '-' and '_' instead of '+' and '/', without padding.
std::string base64url(std::string_view bytes);
/// Reads either form, with or without padding; empty if it is neither.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace stencil
