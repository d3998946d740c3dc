// Common widgets. All sizes are relative to the font's.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "app/window/ui_state.h"

namespace stencil {

// Hues that differ from the text on both themes' backgrounds.
ImVec4 error_color();
ImVec4 warning_color();
ImVec4 good_color();
ImVec4 faint_color();
ImVec4 text_color();

/// Converts font heights to pixels.
inline float em(float count) {
    return count * ImGui::GetFontSize();
}

/// A rectangle in ImGui's coordinates.
struct Area {
    float x = 0, y = 0, width = 0, height = 0;
    /// Returns the point at these shares of its width and height.
    ImVec2 at(float across, float down) const { return {x + across * width, y + down * height}; }
    // These cut a part off this area and return it.
    Area cut_top(float part) {
        const Area top{x, y, width, part};
        y += part;
        height -= part;
        return top;
    }
    Area cut_bottom(float part) {
        height -= part;
        return {x, y + height, width, part};
    }
    Area cut_left(float part) {
        const Area left{x, y, part, height};
        x += part;
        width -= part;
        return left;
    }
};
/// Converts from pixels of the frame buffer.
Area area_of(const ScreenRect& pixels);

/// Adds to ImGui's stack of IDs while it lives.
struct IdScope {
    explicit IdScope(int id) { ImGui::PushID(id); }
    explicit IdScope(std::string_view id) { ImGui::PushID(id.data(), id.data() + id.size()); }
    ~IdScope() { ImGui::PopID(); }
    IdScope(const IdScope&) = delete;
    IdScope& operator=(const IdScope&) = delete;
};

float text_width(std::string_view text);
void colored_text(std::string_view text, const ImVec4& color);

/// A wrapped tooltip for the last item, which may be disabled, after the mouse has rested on it. A last line
/// that begins with "--" is the equivalent command-line option.
void tooltip(std::string_view text);

/// Begins a tooltip with other content than text, as wide as tooltip()'s; `length` identifies the content.
/// Returns false if the mouse has not rested on the last item; otherwise call end_tooltip().
bool begin_tooltip(std::size_t length);
void end_tooltip();

/// Returns whether a tooltip under the mouse is not yet complete: frames must continue until then.
bool tooltip_waits();

/// Draws text, wrapped at the window's edge.
void paragraph(std::string_view text, const ImVec4& color);

/// Draws an error. A line with only a caret points at a character of the line above.
void error_text(std::string_view text);

/// Draws an error beside the last item's panel, or below the item, over other widgets, so that nothing moves.
void say_error(std::string_view error);

/// Cuts text to a width, with an ellipsis.
std::string fitted(std::string_view text, float width);

/// Draws one line, cut with an ellipsis at `width`; the tooltip then begins with the whole text.
void fitted_text(std::string_view text, float width, const ImVec4& color, std::string_view tip = {});

/// Draws a small header within a section.
void subtitle(const char* text, std::string_view tip);

/// Continues the line with a control that belongs to the last one.
void same_line();

/// Draws a label with its tooltip at the left; the next control takes the rest of the line, less the room for
/// a control of width `keep` after it. In a narrow panel the label has a line of its own.
void row(const char* label, std::string_view tip, float keep = 0);

/// Returns the size of one of `parts` equal buttons that fill the rest of the line.
ImVec2 button_size(int parts);

/// A button that is disabled if `why_not` is not empty, which is then its tooltip.
bool button(const char* label, ImVec2 size, std::string_view tip, std::string_view why_not = {});
bool checkbox(const char* label, bool* value, std::string_view tip);

/// A button that looks pressed while `lit`, and otherwise has the colour `unlit`.
bool lit_button(const char* label,
                ImVec2 size,
                bool lit,
                std::string_view tip,
                std::string_view why_not = {},
                ImGuiCol unlit = ImGuiCol_Button);

/// A button that copies the text and says so for a moment. `owner` identifies the button.
void copy_button(UiState& ui,
                 const char* owner,
                 ImVec2 size,
                 const std::string& text,
                 std::string_view tip,
                 std::string_view why_not = {});
/// say_copied() makes this owner's button say that it has copied something; says_copied() tells whether it
/// still does.
void say_copied(UiState& ui, const char* owner);
bool says_copied(const UiState& ui, std::string_view owner);

/// Rows without a label; the control takes the rest of the line.
bool button_row(const char* label, std::string_view tip, std::string_view why_not = {});
bool checkbox_row(const char* label, bool* value, std::string_view tip);
/// A row with a box for a setting of the run that is true or false.
void flag_row(UiState& ui, const char* label, const char* setting, bool now, std::string_view tip);

/// A tree node with a tooltip, whose content is not indented. Returns whether it is open.
bool unfolded(const char* title, std::string_view tip, ImGuiTreeNodeFlags flags = 0);

struct Segment {
    const char* label;
    std::string_view tip;
};

/// Draws buttons over the rest of the line, one of them chosen; below each other if the line is too short.
/// Returns the one clicked, unless it is already chosen.
std::optional<int> segmented(const char* id, std::span<const Segment> segments, int chosen);

inline std::optional<int> segmented_row(const char* label,
                                        std::string_view tip,
                                        std::span<const Segment> segments,
                                        int chosen) {
    row(label, tip);
    return segmented(label, segments, chosen);
}

/// A row of a combo box, disabled if `why_not` is not empty. The tooltip is a text, in place of which
/// `why_not` is shown, or a function that draws it.
template <class T>
bool choice(const char* label, bool chosen, const T& tip, std::string_view why_not = {}) {
    const bool clicked =
        ImGui::Selectable(label, chosen, why_not.empty() ? 0 : ImGuiSelectableFlags_Disabled);
    if (chosen) ImGui::SetItemDefaultFocus();
    if constexpr (std::is_invocable_v<T>)
        tip();
    else
        tooltip(why_not.empty() ? std::string_view(tip) : why_not);
    return clicked;
}

/// A combo box: `rows` draws its choices while it is open; closed, it has the tooltip, a text or a function
/// that draws it.
template <class T, class F>
void combo(const char* id, const char* shown, const T& tip, F&& rows, ImGuiComboFlags flags = 0) {
    if (!ImGui::BeginCombo(id, shown, flags)) {
        if constexpr (std::is_invocable_v<T>)
            tip();
        else
            tooltip(tip);
        return;
    }
    rows();
    ImGui::EndCombo();
}

/// A row of a label and a combo box, whose ID is "##" and the label.
template <class F>
void combo_row(
    const char* label, const char* shown, std::string_view tip, F&& rows, ImGuiComboFlags flags = 0) {
    row(label, tip);
    combo((std::string("##") + label).c_str(), shown, tip, rows, flags);
}
/// A row with a choice of names. Returns the index of the name that was clicked.
std::optional<std::size_t> name_row(const char* label,
                                    std::span<const std::string> names,
                                    std::string_view chosen,
                                    std::string_view tip);

/// Begins a table of label, right-aligned value and, with `units`, unit. Returns false if not visible.
bool begin_values(const char* id, bool units = true);
void value_row(const char* label, std::string_view value, std::string_view unit, std::string_view tip);
/// A row for a measured number; 0 means that it is not known yet.
void value_row(const char* label, double measured, std::string_view unit, std::string_view tip);
inline void end_values() {
    ImGui::EndTable();
}

/// A window over the canvas without a title, which neither moves nor takes the focus.
inline constexpr ImGuiWindowFlags kPlainWindow = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                                 ImGuiWindowFlags_NoSavedSettings |
                                                 ImGuiWindowFlags_NoFocusOnAppearing;
/// A part of the window, behind windows over the canvas; it may scroll.
inline constexpr ImGuiWindowFlags kFixed =
    (kPlainWindow & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Begins a window of exactly this area, without rounding and border.
void begin_area(const char* name, const Area& area, ImVec2 padding, ImGuiWindowFlags flags);

/// Size and place of a window over the canvas when it appears: centred, with this share of the canvas' size,
/// and no larger than `most` font sizes. `once`: it later reopens at its last place.
struct OverCanvas {
    ImVec2 share;
    ImVec2 most = {1000, 1000};
    bool once = false;
};
/// Draws a window over the canvas with `draw`, while it is open.
template <class F>
void over_canvas(const UiState& ui, const char* title, bool& open, const OverCanvas& look, F&& draw) {
    const Area room = area_of(ui.canvas);
    const ImGuiCond when = look.once ? ImGuiCond_Once : ImGuiCond_Appearing;
    ImGui::SetNextWindowSize({std::min(look.share.x * room.width, em(look.most.x)),
                              std::min(look.share.y * room.height, em(look.most.y))},
                             when);
    ImGui::SetNextWindowPos(room.at(0.5f, 0.5f), when, {0.5f, 0.5f});
    if (ImGui::Begin(title, &open, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse)) draw();
    ImGui::End();
}

/// A bar with text on it; a `share` beyond 1 fills it.
void share_bar(double share, std::string_view text, std::string_view tip);

// Fields for text, numbers and paths, and the slider that turns into a number field.

/// Return the drafts of the field or slider with this ID in the current window.
NumberDraft& draft_of(UiState& ui, const char* id);
SliderDraft& slider_draft_of(UiState& ui, const char* id);

/// Applies an entered text; throws InputError to refuse it.
using TakeEntry = std::function<void(const std::string&)>;

/// A text field that shows `current` until it is edited and left with another text, which `take` gets. Enter
/// or leaving applies, Esc restores. A refused text stays and turns red; the reason is shown below it until
/// the next click, and in its tooltip. Returns whether a text was taken.
bool text_field(
    const char* id, UiState& ui, const std::string& current, std::string_view tip, const TakeEntry& take);

struct NumberRange {
    double least = -std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::max();
    // Messages for numbers beyond the limits, appended to the number; empty: a message with the limit.
    std::string_view above = {}, below = {};
};
inline constexpr NumberRange kAboveZero{std::numeric_limits<double>::min()};

/// A text field for a number, as typed_number() parses it. Returns a new, allowed number once entered.
std::optional<double> number_input(
    const char* id, UiState& ui, double current, const NumberRange& range, std::string_view tip);

/// A text field for whole numbers from `least` to `most`; a `current` below `least` is shown as "auto".
std::optional<long long> whole_input(
    const char* id, UiState& ui, long long current, long long least, long long most, std::string_view tip);

/// A row with a label and a field, whose ID is "##" and the label; `keep` is as for row().
struct FieldRow {
    UiState& ui;
    const char* label;
    std::string_view tip;
    float keep = 0;
    bool enabled = true;
};
bool text_row(const FieldRow& field, const std::string& current, const TakeEntry& take);
std::optional<double> number_row(const FieldRow& field, double current, const NumberRange& range = {});
std::optional<long long> whole_row(const FieldRow& field, long long current, long long least, long long most);
/// A row for a formula of the model's names, which may be empty.
bool formula_row(const FieldRow& field,
                 const std::string& current,
                 const std::string& model,
                 const TakeEntry& take);

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
    const char* id, UiState& ui, double current, const SliderLook& look, std::string_view tip = {});

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

/// A row with the label "Folder" and a path field.
inline void folder_row(UiState& ui, std::string& folder, std::string_view tip) {
    row("Folder", tip);
    path_input("##folder", ui, folder, PathKind::folder, tip);
}

}  // namespace stencil
