#include "sim/text/shell_words.h"

#include <algorithm>

#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kBlanks = " \t\n";

// Splits a line into words.
class Reader {
  public:
    explicit Reader(std::string_view line) : line_(line) {}

    std::vector<std::string> words() {
        std::vector<std::string> words;
        for (skip_blanks(); at_ < line_.size(); skip_blanks()) words.push_back(word());
        return words;
    }

  private:
    void skip_blanks() { at_ = std::min(line_.find_first_not_of(kBlanks, at_), line_.size()); }

    std::string word() {
        std::string text;
        while (at_ < line_.size() && kBlanks.find(line_[at_]) == std::string_view::npos) {
            const char c = line_[at_++];
            if (c == '\'' || c == '"')
                text += quoted(c);
            else if (c == '\\' && at_ < line_.size())
                text += line_[at_++];
            else
                text += c;
        }
        return text;
    }

    // Reads up to the closing quote. In double quotes a backslash escapes special characters.
    std::string quoted(char quote) {
        std::string text;
        while (at_ < line_.size()) {
            const char c = line_[at_++];
            if (c == quote) return text;
            const bool protects = c == '\\' && quote == '"' && at_ < line_.size() &&
                                  std::string_view("\"\\$`").find(line_[at_]) != std::string_view::npos;
            text += protects ? line_[at_++] : c;
        }
        throw InputError("{}: a quote {} has no end", quotable(line_), quote);
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

}  // namespace

std::string quoted_for_shell(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::vector<std::string> shell_words(std::string_view line) {
    return Reader(line).words();
}

}  // namespace stencil
