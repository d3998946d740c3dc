// Errors in a model's text, with their position.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/text/error.h"

namespace stencil::equation {

/// A range of bytes [begin, end) in a text.
struct TextSpan {
    std::size_t begin = 0, end = 0;
    friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

/// The range from the start of one span to the end of another.
constexpr TextSpan join(TextSpan first, TextSpan last) {
    return {first.begin, last.end};
}

/// what() is a sentence (what is wrong and what to write instead), then the line with a caret under the
/// span.
class TextError : public InputError {
  public:
    TextError(std::string_view text, TextSpan span, const std::string& sentence);
    template <class First, class... Rest>
    TextError(std::string_view text,
              TextSpan span,
              fmt::format_string<First, Rest...> sentence,
              First&& first,
              Rest&&... rest)
        : TextError(text, span, fmt::vformat(sentence, fmt::make_format_args(first, rest...))) {}

    std::string sentence() const override { return sentence_; }
    TextSpan span() const { return span_; }
    /// Position counted from 1; columns in characters.
    std::size_t line() const { return line_; }
    std::size_t column() const { return column_; }

  private:
    std::string sentence_;
    TextSpan span_;
    std::size_t line_ = 1, column_ = 1;
};

/// Reads a text, which must outlive it, and refuses parts of it.
class TextReader {
  public:
    explicit TextReader(std::string_view text) : text_(text) {}

    [[noreturn]] void refuse(TextSpan span, const std::string& sentence) const {
        throw TextError(text_, span, sentence);
    }
    template <class First, class... Rest>
    [[noreturn]] void refuse(TextSpan span,
                             fmt::format_string<First, Rest...> sentence,
                             First&& first,
                             Rest&&... rest) const {
        refuse(span, fmt::vformat(sentence, fmt::make_format_args(first, rest...)));
    }

  protected:
    std::string_view text_;
};

}  // namespace stencil::equation
