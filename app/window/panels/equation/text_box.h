// The box that a model's text is typed into: wrapped, coloured, with completions, caret and selection. Dear
// ImGui 1.86 has none of these for several lines.
#pragma once

#include <imgui.h>

#include "app/window/ui_state.h"
#include "sim/editing/completion.h"
#include "sim/editing/typeset.h"
#include "sim/editing/wrap.h"

namespace stencil {

/// Keeps what is made from the text until that changes.
struct TextCache {
    bool made = false;
    std::string text;
    equation::Statements statements;
    editing::OwnNames names;
    std::vector<editing::Piece> pieces;
    equation::TextSpan heading;

    float width = 0, size = 0;  ///< for which the rows were made
    std::size_t begin = 0;      ///< of the rows: behind a folded heading
    std::vector<editing::TextRow> rows;

    float set_width = 0, set_size = 0;  ///< for which the lines were made
    std::vector<editing::TypesetLine> lines;

    std::size_t listed_at = 0;  ///< the caret for which the completion was made
    editing::Completion list;

    std::string what;  ///< the text that was searched for
    bool whole = false;
    std::vector<equation::TextSpan> found;
    bool searched = false;  ///< `found` is up to date for `what` and `whole`
};

/// Returns what belongs to the text as it is now.
TextCache& cache_of(EquationState& state);

struct TextBoxLook {
    ImVec2 size;
    bool message = false;  ///< a mistake's message stands at its line
};

/// Draws the list of completions near the word, whose rows are `line` high. Returns the row that was clicked.
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
