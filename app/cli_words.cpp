#include "app/cli_words.h"

#include <algorithm>

namespace stencil {

std::vector<std::string> cli_words(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const std::string& word : words) {
        const bool empty = word.starts_with("--") && word.find('=') == word.size() - 1;
        result.push_back(empty ? word.substr(0, word.size() - 1) : word);
        if (empty) result.emplace_back();
    }
    std::ranges::reverse(result);
    return result;
}

}  // namespace stencil
