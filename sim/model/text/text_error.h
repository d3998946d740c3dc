// Errors in a model's text, with their position.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/text/error.h"

namespace stencil::equation {

/// A range of bytes [begin, end) in a text.
struct Place {
    std::size_t begin = 0, end = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// The range from the start of one place to the end of another.
constexpr Place join(Place first, Place last) {
    return {first.begin, last.end};
}

/// what() is a sentence (what is wrong and what to write instead), then the line with a caret under the
/// place.
class TextError : public InputError {
  public:
    TextError(std::string_view text, Place place, const std::string& sentence);

    const std::string& sentence() const { return sentence_; }
    Place place() const { return place_; }
    /// Position counted from 1; columns in characters.
    std::size_t line() const { return line_; }
    std::size_t column() const { return column_; }

  private:
    std::string sentence_;
    Place place_;
    std::size_t line_ = 1, column_ = 1;
};

}  // namespace stencil::equation
