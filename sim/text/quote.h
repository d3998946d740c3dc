// Foreign text in messages: names, values and pieces of files, which may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// Bytes of the UTF-8 character that a text begins with (no overlong forms, no surrogates, nothing beyond
/// U+10FFFF); 0 where there is none.
std::size_t utf8_length(std::string_view text);

/// All of it is UTF-8.
bool is_utf8(std::string_view text);

/// The same on one line and without control characters, which could steer a terminal or cut the message; they
/// and what is not UTF-8 become '?', byte by byte. For file names, which stay whole.
std::string printable(std::string_view text);

/// The same, and at most 40 bytes of it ("..." follows then). For all other text.
std::string quotable(std::string_view text);

}  // namespace stencil
