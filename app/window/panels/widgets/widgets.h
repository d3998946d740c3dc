// The pieces that the panels are put together from. All sizes follow the font's.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/window/canvas/canvas_view.h"

namespace stencil {

// Hues that can be told from the text on either theme's background.
ImVec4 error_color();
ImVec4 warning_color();
ImVec4 good_color();
ImVec4 faint_color();
ImVec4 text_color();

/// Of a font's height.
inline float em(float count) {
    return count * ImGui::GetFontSize();
}

float text_width(std::string_view text);
void colored_text(std::string_view text, const ImVec4& color);

/// A wrapped tooltip of the last item, which may be disabled, once the mouse has rested on it. A last line
/// that begins with "--" is how the command line spells the same.
void tooltip(std::string_view text);

/// Whether the mouse is on something whose tooltip is not yet seen whole: frames have to go on until then.
bool tooltip_waits();

/// The whole text, wrapped where the window ends.
void paragraph(std::string_view text, const ImVec4& color);

/// What an error says. A line of it with nothing but a caret points at a place in the line above.
void error_text(std::string_view text);

/// An error below the last item, over what is there, so that nothing moves for it.
void say_below(std::string_view error);

/// As much of it as fits, with an ellipsis where that is not all.
std::string fitted(std::string_view text, float width);

/// One line, cut with an ellipsis at `width`; where it is cut the tooltip begins with the whole text.
void fitted_text(std::string_view text, float width, const ImVec4& color, std::string_view tip = {});

/// A small header within a section.
void subtitle(const char* text, std::string_view tip);

/// A label on the left, with its tooltip; the control that follows takes the rest of the line, less `keep`.
/// In a narrow panel the label has a line of its own.
void row(const char* label, std::string_view tip, float keep = 0);

/// As wide as its share of what is left of the line: `parts` buttons of one size fill it.
ImVec2 button_size(int parts);

/// Greyed where `why_not` is not empty, which is then the tooltip.
bool button(const char* label, ImVec2 size, std::string_view tip, std::string_view why_not = {});
bool checkbox(const char* label, bool* value, std::string_view tip);

struct Segment {
    const char* label;
    std::string_view tip;
};

/// Buttons of equal width over the rest of the line, one of them chosen; below each other where the line is
/// too short for their labels. The number of the one clicked, unless it is chosen already.
std::optional<int> segmented(const char* id, std::span<const Segment> segments, int chosen);

/// A combo's row: its text, a tooltip, and whether it can be chosen.
bool choice(const char* label, bool chosen, std::string_view tip, std::string_view why_not = {});

/// A combo box: `rows` draws its choices while it is open, and closed it has the tooltip.
template <class F>
void combo(const char* id, const char* shown, std::string_view tip, F&& rows, ImGuiComboFlags flags = 0) {
    if (!ImGui::BeginCombo(id, shown, flags)) {
        tooltip(tip);
        return;
    }
    rows();
    ImGui::EndCombo();
}

/// True where Enter was pressed in it. Red where something is wrong with the text, which is said below it
/// while it is typed.
bool text_input(const char* id,
                const char* hint,
                std::string& text,
                std::string_view tip = {},
                std::string_view wrong = {});

/// Aligned columns: what, how much (right-aligned), and, with `units`, its unit. False where the table is not
/// visible.
bool begin_values(const char* id, bool units = true);
void value_row(const char* label, std::string_view value, std::string_view unit, std::string_view tip);
void end_values();

/// Begins a window in the middle of the canvas, at first as large as this share of it and no larger than
/// `most`. ImGui::End() follows, whatever it returns.
bool begin_over_canvas(
    const char* title, bool* open, const ScreenRect& canvas, ImVec2 share, ImVec2 most, ImGuiCond when);

/// A bar with a text on it; `share` beyond 1 fills it.
void share_bar(double share, std::string_view text, std::string_view tip);

}  // namespace stencil
