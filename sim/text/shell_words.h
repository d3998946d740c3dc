// Quotes and splits words as a POSIX shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencil {

/// Quotes a word if necessary.
std::string quoted_for_shell(const std::string& word);

/// Splits a line; only quotes and backslashes are special. Throws InputError for an unclosed quote.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace stencil
