// The box that a model's text is typed into: wrapped, coloured, with completions, caret and selection. Dear
// ImGui 1.86 has none of these for several lines.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/ui_state.h"
#include "sim/editing/completion.h"
#include "sim/editing/typeset.h"
#include "sim/editing/wrap.h"

namespace stencil {

/// A value cached for a key.
template <class Key, class T>
struct Kept {
    std::optional<Key> key;
    T value = {};
    template <class Make>
    T& of(const Key& wanted, const Make& make) {
        if (key != wanted) value = make();
        key = wanted;
        return value;
    }
};

/// Caches results derived from the text until it changes.
struct TextCache {
    bool made = false;
    std::string text;
    equation::Statements statements;
    editing::OwnNames names;
    std::vector<editing::Piece> pieces;

    Kept<std::pair<float, float>, std::vector<editing::TextRow>> rows;       ///< by width and size
    Kept<std::pair<float, float>, std::vector<editing::TypesetLine>> lines;  ///< by width and size
    Kept<std::pair<std::size_t, bool>, editing::Completion> list;            ///< by caret, and state.any
};

/// Returns the cache for the present text.
TextCache& cache_of(EquationState& state);

struct TextBoxLook {
    ImVec2 size;
    bool message = false;  ///< show a mistake's message at its line
};

/// Draws the list of completions near `word`, in rows of height `line`. Returns the row that was clicked.
std::optional<std::size_t> draw_completions(const UiState& ui,
                                            const editing::Completion& list,
                                            ImVec2 word,
                                            float line);

/// Draws the box and takes keys and mouse; sets `typed_at` when the text has changed. Returns true for
/// Ctrl+Enter.
bool draw_text_box(UiState& ui, const TextBoxLook& look);

/// The colour of a piece of the text.
ImU32 ink_color(editing::Ink ink, Theme theme);

}  // namespace stencil
