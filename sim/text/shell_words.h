// Words as a POSIX shell writes and reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencil {

/// A word as a shell reads it back.
std::string quoted_for_shell(const std::string& word);

/// The words of a line: quotes and backslashes as in a shell, nothing else is special. Throws InputError
/// where a quote has no end.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace stencil
