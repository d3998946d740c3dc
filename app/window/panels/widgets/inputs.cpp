
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#if __has_include(<imgui_stdlib.h>)
#include <imgui_stdlib.h>
#else
#include <misc/cpp/imgui_stdlib.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/window/format.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/files/folder.h"
#include "sim/model/equations.h"
#include "sim/model/text/typed_number.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

// A field shows the entered text for this time, until the session has applied it.
constexpr double kHold = 0.5;  // seconds

// The field that refused a text last. Only its message is shown, because messages would cover each other.
ImGuiID last_refused = 0;

// Returns what is wrong with a number; empty: nothing.
std::string why_not(std::optional<double> value, std::string_view text, const NumberRange& range) {
    if (!value && text.find(',') != text.npos)
        return fmt::format("{}: write decimals with a point, thousands with a space", text);
    if (!value) return fmt::format("'{}' is not a number; examples: 1e4, 10k, 2^20, 3*(4 + 1)", text);
    if (*value > range.most && !range.above.empty()) return fmt::format("{} {}", text, range.above);
    if (*value > range.most)
        return fmt::format("{} is above {}, the largest allowed", text, format_short(range.most, 12));
    if (*value < range.least && !range.below.empty()) return fmt::format("{} {}", text, range.below);
    if (*value < range.least && range.least == std::numeric_limits<double>::min())
        return fmt::format("{} must be above 0", text);
    if (*value < range.least)
        return fmt::format("{} is below {}, the smallest allowed", text, format_short(range.least, 12));
    return {};
}

double share_of(const SliderLook& look, double value) {
    const double share = look.logarithmic ? std::log(std::max(value, look.least) / look.least) /
                                                std::log(look.most / look.least)
                                          : (value - look.least) / (look.most - look.least);
    return std::clamp(share, 0.0, 1.0);
}

double value_at(const SliderLook& look, double share) {
    share = std::clamp(share, 0.0, 1.0);
    const double value = look.logarithmic ? look.least * std::pow(look.most / look.least, share)
                                          : look.least + share * (look.most - look.least);
    const double rounded = std::strtod(fmt::format(fmt::runtime(look.format), value).c_str(), nullptr);
    return std::clamp(rounded, look.least, look.most);
}

float thumb_width() {
    return std::round(em(0.4f));
}

// The thumb is slim and the number is drawn over it, so that it stays readable at every value.
void draw_slider(const SliderLook& look, double value, bool held) {
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const float rounding = ImGui::GetStyle().FrameRounding, thumb = thumb_width();
    const ImGuiCol back = held                     ? ImGuiCol_FrameBgActive
                          : ImGui::IsItemHovered() ? ImGuiCol_FrameBgHovered
                                                   : ImGuiCol_FrameBg;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(least, most, ImGui::GetColorU32(back), rounding);
    const float x = least.x + float(share_of(look, value)) * std::max(0.0f, most.x - least.x - thumb);
    const ImU32 color = ImGui::GetColorU32(held ? ImGuiCol_SliderGrabActive : ImGuiCol_SliderGrab);
    list->AddRectFilled(ImVec2(x, least.y + 1), ImVec2(x + thumb, most.y - 1), color, rounding);
    const std::string text = fmt::format(fmt::runtime(look.format), value);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    ImVec2 at(std::round((least.x + most.x - size.x) / 2), std::round((least.y + most.y - size.y) / 2));
    // Move the number beside the thumb if they would overlap.
    const float gap = em(0.2f);
    if (x + thumb + gap > at.x && x < at.x + size.x + gap)
        at.x = x + thumb + gap + size.x < most.x ? std::max(at.x, x + thumb + gap) : x - gap - size.x;
    list->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
    ImGui::RenderNavHighlight({least, most}, ImGui::GetItemID());
}

// Keeps Esc from ImGui, which would end the drag before its first value is restored.
void keep_escape([[maybe_unused]] ImGuiID id) {
#if IMGUI_VERSION_NUM < 18900
    ImGui::GetCurrentContext()->ActiveIdUsingNavInputMask |= 1U << ImGuiNavInput_Cancel;
#else
    ImGui::SetKeyOwner(ImGuiKey_Escape, id);
#endif
}

// Returns true if the field was left with another text.
bool edit_text(const char* id, NumberDraft& draft, const std::string& current, std::string_view tip) {
    if (!draft.active && draft.wrong.empty() && ImGui::GetTime() >= draft.hold_until) draft.text = current;
    if (!draft.wrong.empty()) ImGui::PushStyleColor(ImGuiCol_Text, error_color());
    ImGui::InputText(id, &draft.text, ImGuiInputTextFlags_AutoSelectAll);
    if (!draft.wrong.empty()) ImGui::PopStyleColor();
    const bool was_active = draft.active;
    draft.active = ImGui::IsItemActive();
    if (draft.active && !was_active) draft.before = draft.text;
    // Select all, because a double click would select only the digits before or after the point.
    if (draft.active && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        if (ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetItemID())) state->SelectAll();
    if (draft.active || ImGui::IsMouseClicked(ImGuiMouseButton_Left)) draft.says = false;
    const ImGuiID self = ImGui::GetItemID();
    if (draft.says && !draft.wrong.empty() && self == last_refused)
        say_error(draft.wrong);
    else
        tooltip(draft.wrong.empty() ? tip : std::string_view(draft.wrong));
    if (draft.active || !ImGui::IsItemDeactivated()) return false;
    if (draft.text == draft.before) {  // Esc restores the text, too
        draft.wrong.clear();
        draft.text = current;
        return false;
    }
    draft.hold_until = ImGui::GetTime() + kHold;
    last_refused = self;
    return draft.says = true;
}

std::optional<double> edit_number(
    const char* id, NumberDraft& draft, double current, const NumberRange& range, std::string_view tip) {
    if (!edit_text(id, draft, format_real(current), tip)) return std::nullopt;
    const auto value = equation::typed_number(draft.text);
    draft.wrong = why_not(value, draft.text, range);
    if (!draft.wrong.empty()) return std::nullopt;
    draft.text = format_real(*value);
    return *value == current ? std::nullopt : value;
}

std::optional<LiveEdit> type_number(
    const char* id, SliderDraft& draft, double current, const SliderLook& look, std::string_view tip) {
    if (draft.focus) ImGui::SetKeyboardFocusHere();
    draft.focus = false;
    const bool was_active = draft.typed.active;
    ImGui::PushID("typed");
    const auto value = edit_number(id, draft.typed, current, look.typed, tip);
    ImGui::PopID();
    if (was_active && !draft.typed.active && draft.typed.wrong.empty()) draft.typing = false;
    if (!value) return std::nullopt;
    draft.value = *value;
    draft.hold_until = ImGui::GetTime() + kHold;
    return LiveEdit{*value, false};
}

// Draws the label and, by its ID, the field.
template <class Draw>
auto in_row(const FieldRow& field, const Draw& draw) {
    row(field.label, field.tip, field.keep);
    ImGui::BeginDisabled(!field.enabled);
    const auto result = draw(fmt::format("##{}", field.label).c_str());
    ImGui::EndDisabled();
    return result;
}

constexpr std::string_view kNoDialog = "Install zenity or kdialog for a file dialog";

void ask_path(UiState& ui, unsigned field, PathKind kind, const std::string& path) {
    std::error_code failed;
    std::filesystem::path start = std::filesystem::absolute(path.empty() ? "." : path, failed);
    while (!std::filesystem::is_directory(start, failed) && start.has_relative_path())
        start = start.parent_path();
    ui.dialog.field = field;
    ui.ask(PathQuestion{kind, start.string()});
}

// Returns true if one of the recent paths was chosen.
bool draw_choices(UiState& ui, unsigned field, std::string& path) {
    bool chosen = false;
    if (!ImGui::BeginPopup("paths")) return false;
    if (ImGui::MenuItem("Browse...", nullptr, false, ui.dialog.there))
        ask_path(ui, field, PathKind::file, path);
    if (!ui.dialog.there) tooltip(kNoDialog);
    if (!ui.preferences.recent.empty()) ImGui::Separator();
    for (std::size_t i = 0; i < ui.preferences.recent.size(); ++i) {
        const std::string& recent = ui.preferences.recent[i];
        const IdScope scope{int(i)};
        if (ImGui::MenuItem(std::filesystem::path(recent).filename().string().c_str())) {
            path = recent;
            chosen = true;
        }
        tooltip(recent);
    }
    ImGui::EndPopup();
    return chosen;
}

}  // namespace

NumberDraft& draft_of(UiState& ui, const char* id) {
    return ui.panel.drafts[ImGui::GetID(id)];
}

SliderDraft& slider_draft_of(UiState& ui, const char* id) {
    return ui.panel.sliders[ImGui::GetID(id)];
}

bool text_field(
    const char* id, UiState& ui, const std::string& current, std::string_view tip, const TakeEntry& take) {
    NumberDraft& draft = draft_of(ui, id);
    if (!edit_text(id, draft, current, tip)) return false;
    draft.wrong.clear();
    try {
        take(draft.text);
        return true;
    } catch (const InputError& error) {
        draft.wrong = error.sentence();
    }
    return false;
}

std::optional<double> number_input(
    const char* id, UiState& ui, double current, const NumberRange& range, std::string_view tip) {
    return edit_number(id, draft_of(ui, id), current, range, tip);
}

std::optional<long long> whole_input(
    const char* id, UiState& ui, long long current, long long least, long long most, std::string_view tip) {
    NumberDraft& draft = draft_of(ui, id);
    if (!edit_text(id, draft, current < least ? "auto" : std::to_string(current), tip)) return std::nullopt;
    const auto value = equation::typed_number(draft.text);
    const auto whole = equation::typed_whole(draft.text);
    draft.wrong = why_not(value, draft.text, {double(least), double(most)});
    if (draft.wrong.empty() && !whole)
        draft.wrong = fmt::format("{} is not a whole number; {:.0f} is", draft.text, *value);
    if (!draft.wrong.empty()) return std::nullopt;
    draft.text = std::to_string(*whole);
    return *whole == current ? std::nullopt : whole;
}

bool text_row(const FieldRow& field, const std::string& current, const TakeEntry& take) {
    return in_row(field, [&](const char* id) { return text_field(id, field.ui, current, field.tip, take); });
}

std::optional<double> number_row(const FieldRow& field, double current, const NumberRange& range) {
    return in_row(field,
                  [&](const char* id) { return number_input(id, field.ui, current, range, field.tip); });
}

std::optional<long long> whole_row(const FieldRow& field,
                                   long long current,
                                   long long least,
                                   long long most) {
    return in_row(field,
                  [&](const char* id) { return whole_input(id, field.ui, current, least, most, field.tip); });
}

bool formula_row(const FieldRow& field,
                 const std::string& current,
                 const std::string& model,
                 const TakeEntry& take) {
    return text_row(field, current, [&](const std::string& formula) {
        if (!formula.empty()) equation::read_equations(model, {formula});
        take(formula);
    });
}

std::optional<LiveEdit> live_slider(
    const char* id, UiState& ui, double current, const SliderLook& look, std::string_view tip) {
    SliderDraft& draft = slider_draft_of(ui, id);
    if (draft.typing) return type_number(id, draft, current, look, tip);
    const float width = std::max(1.0f, ImGui::CalcItemWidth());
    const float left = ImGui::GetCursorScreenPos().x;
    ImGui::InvisibleButton(id, ImVec2(width, ImGui::GetFrameHeight()));
    const bool held = ImGui::IsItemActive();
    if (ImGui::IsItemActivated()) {
        draft.sent = draft.dragging = false;
        draft.before = draft.value;
    }
    if (held) keep_escape(ImGui::GetItemID());
    draft.dragging |= held && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
    std::optional<LiveEdit> edit;
    if (held && draft.dragging && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false)) {
        if (draft.sent) edit = LiveEdit{draft.before, true};
        draft.value = draft.before;
        ImGui::ClearActiveID();
    } else if (held && draft.dragging) {
        const double share = (ImGui::GetIO().MousePos.x - left - thumb_width() / 2) / (width - thumb_width());
        const double value = value_at(look, share);
        if (value != draft.value) edit = LiveEdit{value, std::exchange(draft.sent, true)};
        draft.value = value;
    } else if (!held && ImGui::GetTime() >= draft.hold_until) {
        draft.value = current;
    }
    if (ImGui::IsItemDeactivated()) {
        if (draft.dragging) draft.hold_until = ImGui::GetTime() + kHold;
        if (!draft.dragging) draft.typing = draft.focus = true;
    }
    draw_slider(look, draft.value, held);
    // Not while dragging, because the tooltip would cover the field.
    tooltip(tip);
    return edit;
}

bool text_input(
    const char* id, const char* hint, std::string& text, std::string_view tip, std::string_view wrong) {
    if (!wrong.empty()) ImGui::PushStyleColor(ImGuiCol_Text, error_color());
    const bool entered = ImGui::InputTextWithHint(id, hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
    if (!wrong.empty()) ImGui::PopStyleColor();
    if (!wrong.empty() && ImGui::IsItemActive())
        say_error(wrong);
    else
        tooltip(wrong.empty() ? tip : wrong);
    return entered;
}

bool path_input(
    const char* id, UiState& ui, std::string& path, PathKind kind, std::string_view tip, float keep) {
    const bool folder = kind == PathKind::folder;
    const ImGuiStyle& style = ImGui::GetStyle();
    const float side = text_width(ICON_FOLDER) + 2 * style.FramePadding.x;
    const float after = side + keep + style.ItemInnerSpacing.x * (keep > 0 ? 2 : 1);
    ImGui::SetNextItemWidth(std::max(1.0f, ImGui::GetContentRegionAvail().x - after));
    bool entered = text_input(id, folder ? "a folder" : "a path", path, tip);
    const unsigned field = ImGui::GetItemID();
    if (entered || ImGui::IsItemDeactivatedAfterEdit()) path = expanded_home(path);
    same_line();
    ImGui::PushID(id);
    const bool pressed = button(ICON_FOLDER,
                                ImVec2(side, 0),
                                folder ? "Chooses a folder" : "Chooses a file, also a recent one",
                                folder && !ui.dialog.there ? kNoDialog : "");
    if (pressed && folder) ask_path(ui, field, kind, path);
    if (pressed && !folder) ImGui::OpenPopup("paths");
    entered |= draw_choices(ui, field, path);
    ImGui::PopID();
    if (ui.dialog.field == field && !ui.dialog.answer.empty()) {
        path = std::exchange(ui.dialog.answer, {});
        entered = true;
    }
    return entered;
}

}  // namespace stencil
