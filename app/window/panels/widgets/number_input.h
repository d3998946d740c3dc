// The one field for numbers, and the slider that turns into it.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/panels/panel_state.h"

namespace stencil {

/// A text field that shows `current` until it is touched. True where it was left with another text, which the
/// draft has. Enter or leaving it applies it, Esc brings the old text back. A text that is refused
/// (draft.wrong) turns red and stays; why is said below it until the next click, and in its tooltip.
bool text_field(const char* id, NumberDraft& draft, const std::string& current, std::string_view tip);

struct NumberRange {
    double least = -std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::max();
    // What to say of a number beyond the limits, after the number; empty: the limit.
    std::string_view above = {}, below = {};
};

/// A text field of one number, as typed_number() reads it. Returns the number that was entered where it is
/// allowed and differs from `current`.
std::optional<double> number_input(const char* id,
                                   NumberDraft& draft,
                                   double current,
                                   const NumberRange& range = {},
                                   std::string_view tip = {});

/// The same of whole numbers from `least` to `most`. Shows "auto" for a `current` below `least`.
std::optional<long long> whole_input(const char* id,
                                     NumberDraft& draft,
                                     long long current,
                                     long long least,
                                     long long most,
                                     std::string_view tip = {});

/// The same of a formula of the names in a model's text; an empty one is allowed. Returns what was entered.
std::optional<std::string> formula_input(const char* id,
                                         NumberDraft& draft,
                                         const std::string& current,
                                         const std::string& model,
                                         std::string_view tip);

struct SliderLook {
    double least = 0, most = 1;
    std::string_view format = "{:.3g}";  ///< of {fmt}; what is dragged to is rounded to it
    bool logarithmic = false;
    NumberRange typed = {};  ///< what may be typed, beyond the slider's ends, too
};

struct LiveEdit {
    double value = 0;
    bool continuing = false;  ///< of the same drag as the one before
};

/// Dragging moves it, and Esc then brings it back; a click without movement turns it into a number field
/// until that is left.
std::optional<LiveEdit> live_slider(
    const char* id, SliderDraft& draft, double current, const SliderLook& look, std::string_view tip = {});

}  // namespace stencil
