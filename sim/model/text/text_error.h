// Mistakes in a model's text: one sentence, and where it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/text/error.h"

namespace stencil::equation {

/// Bytes [begin, end) of a text.
struct Place {
    std::size_t begin = 0, end = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// From the start of one to the end of the other.
constexpr Place join(Place first, Place last) {
    return {first.begin, last.end};
}

/// what() is the sentence, then the line of the text and a caret under the place; the sentence says what is
/// wrong and what to write instead.
class TextError : public InputError {
  public:
    TextError(std::string_view text, Place place, const std::string& sentence);

    const std::string& sentence() const { return sentence_; }
    Place place() const { return place_; }
    /// Counted from 1; columns in characters.
    std::size_t line() const { return line_; }
    std::size_t column() const { return column_; }

  private:
    std::string sentence_;
    Place place_;
    std::size_t line_ = 1, column_ = 1;
};

}  // namespace stencil::equation
