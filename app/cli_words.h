// Words for CLI11.
#pragma once

#include <string>
#include <vector>

namespace stencil {

/// In the reversed order that CLI11 takes. It reads "--name=" as an option whose value is the next word; here
/// that value is empty.
std::vector<std::string> cli_words(const std::vector<std::string>& words);

}  // namespace stencil
