// A text that is being edited: caret, selection, undo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/text_error.h"

namespace stencil::editing {

using equation::TextSpan;

/// Whether a byte begins a character of UTF-8.
inline bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}
/// Whether a byte belongs to a name or number.
bool in_word(char byte);
/// The position after, or before, a character, or the word that begins or ends there.
std::size_t after(std::string_view text, std::size_t at, bool word = false);
std::size_t before(std::string_view text, std::size_t at, bool word = false);

/// Applies to `draft` the changes of lines between two texts with equally many lines, where the draft still
/// has the old lines.
std::string merged(std::string_view draft, std::string_view from, std::string_view to);

class TextEdit {
  public:
    const std::string& text() const { return text_; }
    std::size_t caret() const { return caret_; }
    TextSpan selection() const { return {std::min(caret_, anchor_), std::max(caret_, anchor_)}; }
    std::string selected() const;
    /// Counts changes of the text: a key for caches of what is derived from it.
    unsigned version() const { return version_; }

    void place(std::size_t at, bool extend = false);
    void select(TextSpan span);
    void select_word(std::size_t at);

    /// Replaces the selection by the typed text without control characters, unless that makes the text too
    /// long.
    void insert(std::string_view typed);
    /// Erases the selection, or a character or word beside the caret.
    void erase(bool forward, bool word);
    void replace(TextSpan span, std::string_view by);
    /// Replaces the text by one that was not typed here; undo restores the old one. The caret stays where it
    /// is. With `joins` the change is undone together with the newest one.
    void take(std::string_view text, bool joins = false);
    /// Like take(), without undo.
    void begin(std::string_view text);

    bool undo();
    bool redo();

  private:
    enum class Kind { typed, taken, other };
    struct State {
        std::string text;
        std::size_t caret, anchor;
        Kind kind;  // kind of the change that replaced this state
    };
    void set(std::string text, Kind kind, bool joins);
    bool go(std::vector<State>& from, std::vector<State>& to);

    std::string text_;
    std::size_t caret_ = 0, anchor_ = 0;
    unsigned version_ = 0;
    bool goes_on_ = false;  // typing continues the newest change
    std::vector<State> done_, undone_;
};

}  // namespace stencil::editing
