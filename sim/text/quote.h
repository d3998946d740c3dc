// Makes foreign text (names, values, file contents) safe for messages.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// Bytes of the first UTF-8 character (strict: no overlong forms, no surrogates); 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// Returns whether the whole text is UTF-8.
bool is_utf8(std::string_view text);

/// The first character that no text may have, as bytes of `text`: a control character other than a tab or a
/// line end, a mark of text direction, a character without width, or invalid UTF-8. Empty if there is none.
std::string_view first_control(std::string_view text);

/// Replaces characters that could affect the terminal, hide in a name or split the message, and invalid UTF-8
/// by '?'. For file names, which are not shortened.
std::string printable(std::string_view text);

/// Like printable(), but keeps tabs and line ends. For texts of several lines.
std::string printable_lines(std::string_view text);

/// Like printable(), but cut to 40 bytes with "...". For all other text.
std::string quotable(std::string_view text);

/// Replaces the characters that mean something in XML by entities.
std::string xml_escaped(std::string_view text);

}  // namespace stencil
