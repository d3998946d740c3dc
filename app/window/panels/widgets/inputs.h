// Fields for text, numbers and paths, and the slider that turns into a number field.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/panels/panel_state.h"
#include "app/window/ui_state.h"

namespace stencil {

/// Returns the draft of the field with this ID in the current window.
NumberDraft& draft_of(UiState& ui, const char* id);

/// A text field that shows `current` until it is edited. Returns its draft if it was left with another text.
/// Enter or leaving applies, Esc restores. A refused text (draft.wrong) stays and turns red; the reason is
/// shown below it until the next click, and in its tooltip.
NumberDraft* text_field(const char* id, UiState& ui, const std::string& current, std::string_view tip);

struct NumberRange {
    double least = -std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::max();
    // Messages for numbers beyond the limits, appended to the number; empty: the limit.
    std::string_view above = {}, below = {};
};

/// A text field for a number, as typed_number() parses it. Returns a new, allowed number once entered.
std::optional<double> number_input(
    const char* id, UiState& ui, double current, const NumberRange& range, std::string_view tip);

/// A text field for whole numbers from `least` to `most`; a `current` below `least` is shown as "auto".
std::optional<long long> whole_input(
    const char* id, UiState& ui, long long current, long long least, long long most, std::string_view tip);

/// A text field for a formula of the model's names, which may be empty. Returns what was entered.
std::optional<std::string> formula_input(
    const char* id, UiState& ui, const std::string& current, const std::string& model, std::string_view tip);

struct SliderLook {
    double least = 0, most = 1;
    std::string_view format = "{:.3g}";  ///< for {fmt}; dragged values are rounded to it
    bool logarithmic = false;
    NumberRange typed = {};  ///< limits for typing; may exceed the slider's
};

struct LiveEdit {
    double value = 0;
    bool continuing = false;  ///< belongs to the same drag as the previous edit
};

/// Dragging changes the value and Esc restores it; a click without movement turns the slider into a number
/// field until that is left.
std::optional<LiveEdit> live_slider(
    const char* id, SliderDraft& draft, double current, const SliderLook& look, std::string_view tip = {});

/// Returns true on Enter. The text is red if there is an error, which is shown below it while typing.
bool text_input(const char* id,
                const char* hint,
                std::string& text,
                std::string_view tip = {},
                std::string_view wrong = {});

/// A text field with a button over the rest of the line, less the room for a control of width `keep` after
/// it. Returns true on Enter or when a path was chosen. "~" expands to the home folder when the field is
/// left.
bool path_input(
    const char* id, UiState& ui, std::string& path, PathKind kind, std::string_view tip, float keep = 0);

}  // namespace stencil
