#include "app/window/panels/widgets/widgets.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <utility>

#include "app/window/format.h"
#include "app/window/theme.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Returns the colour on the present background.
ImVec4 shown(const Hue& hue) {
    const ImVec4 back = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
    return ImGui::ColorConvertU32ToFloat4(
        hue.in(back.x + back.y + back.z > 1.5f ? Theme::light : Theme::dark));
}

const char* end_of(std::string_view text) {
    return text.data() + text.size();
}

constexpr double kTipAfter = 0.7;    // seconds on an item
constexpr int kTipSettles = 3;       // frames until ImGui shows a new window at its final size
constexpr double kTipRemains = 0.3;  // seconds within which the next item's tooltip appears at once

// The item under the mouse, identified by its corner.
struct Hovering {
    ImVec2 corner;
    std::size_t length = 0;  // length of the tooltip's text: another text makes it new
    int frame = -1;
    double since = 0, shown = -1;  // in ImGui's time
    int times_shown = 0;
    ImVec2 size = {};  // size of the tooltip when last drawn; 0: not drawn yet
};
Hovering hovering;

// Returns whether the mouse has rested on the last item, which it is over, for long enough.
bool has_rested(std::size_t length) {
    const double now = ImGui::GetTime();
    const ImVec2 corner = ImGui::GetItemRectMin();
    const int frame = ImGui::GetFrameCount();
    Hovering& h = hovering;
    if (now < h.since || now < h.shown) h = {};  // another ImGui context, whose clock restarted
    const bool same = corner.x == h.corner.x && corner.y == h.corner.y && frame - h.frame <= 1;
    const bool follows = h.shown >= 0 && now - h.shown < kTipRemains;
    if (!same) {
        h.since = follows ? now - kTipAfter : now;
        h.times_shown = 0;
        h.size = {};
    }
    if (std::exchange(h.length, length) != length) h.times_shown = 0;
    const bool first = std::exchange(h.frame, frame) != frame;
    h.corner = corner;
    if (now - h.since < kTipAfter) return false;
    h.shown = now;
    if (first) ++h.times_shown;
    return true;
}

// Returns a place for something of this size beside the last item that does not cover the item's neighbours:
// beside a panel or list, and below or above a strip of buttons, at x. Elsewhere there is none.
std::optional<ImVec2> place_beside(const ImVec2& size, float x) {
    const ImRect part = ImGui::GetCurrentWindow()->RootWindow->Rect();
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float gap = em(0.3f);
    const bool is_strip = part.GetHeight() < 3 * ImGui::GetFrameHeight();
    const bool is_column = part.GetWidth() < em(30);
    ImVec2 at;
    if (is_strip)
        at = {x, part.Max.y + gap + size.y < screen.y ? part.Max.y + gap : part.Min.y - gap - size.y};
    else if (is_column && part.Max.x + gap + size.x < screen.x)
        at = {part.Max.x + gap, ImGui::GetItemRectMin().y};
    else
        return std::nullopt;
    return ImVec2(std::max(0.0f, std::min(at.x, screen.x - size.x)),
                  std::max(0.0f, std::min(at.y, screen.y - size.y)));
}

}  // namespace

Area area_of(const ScreenRect& pixels) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    return {float(pixels.x) / scale.x,
            float(pixels.y) / scale.y,
            float(pixels.width) / scale.x,
            float(pixels.height) / scale.y};
}

ImVec4 error_color() {
    return shown({0xff736b, 0xb31717});
}

ImVec4 warning_color() {
    return shown({0xfabd4d, 0x7a4f00});
}

ImVec4 good_color() {
    return shown({0x73d185, 0x0f6630});
}

ImVec4 faint_color() {
    ImVec4 color = text_color();
    color.w *= 0.72f;
    return color;
}

ImVec4 text_color() {
    return ImGui::GetStyleColorVec4(ImGuiCol_Text);
}

float text_width(std::string_view text) {
    return ImGui::CalcTextSize(text.data(), end_of(text)).x;
}

void colored_text(std::string_view text, const ImVec4& color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(text.data(), end_of(text));
    ImGui::PopStyleColor();
}

bool begin_tooltip(std::size_t length) {
    // A tooltip would cover what is dragged.
    if (ImGui::IsAnyMouseDown()) return false;
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || !has_rested(length)) return false;
    if (const auto at = place_beside(hovering.size, ImGui::GetIO().MousePos.x)) ImGui::SetNextWindowPos(*at);
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(std::min(em(24), ImGui::GetIO().DisplaySize.x - padding.x));
    return true;
}

void end_tooltip() {
    ImGui::PopTextWrapPos();
    hovering.size = ImGui::GetWindowSize();
    ImGui::EndTooltip();
}

void tooltip(std::string_view text) {
    if (text.empty() || !begin_tooltip(text.size())) return;
    const std::size_t option = text.rfind("\n--");
    const std::string_view what = text.substr(0, option);
    ImGui::TextUnformatted(what.data(), end_of(what));
    if (option != text.npos) colored_text(text.substr(option + 1), faint_color());
    end_tooltip();
}

bool tooltip_waits() {
    return hovering.frame == ImGui::GetFrameCount() && hovering.times_shown < kTipSettles;
}

void paragraph(std::string_view text, const ImVec4& color) {
    ImGui::PushTextWrapPos(0);
    colored_text(text, color);
    ImGui::PopTextWrapPos();
}

void error_text(std::string_view text) {
    std::string_view above;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, 0));
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t caret = line.find_first_not_of(' ');
        const bool points = caret != line.npos && line[caret] == '^' && caret <= above.size();
        // Spaces would misplace the caret, because the font is proportional.
        if (points) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + text_width(above.substr(0, caret)));
        paragraph(points ? line.substr(caret) : line, error_color());
        above = line;
    }
    ImGui::PopStyleVar();
    ImGui::Dummy(ImVec2(0, 0));
}

void say_error(std::string_view error) {
    if (!ImGui::IsItemVisible()) return;
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const ImVec2 room = ImGui::GetIO().DisplaySize, padding = ImGui::GetStyle().WindowPadding;
    const float gap = em(0.2f);
    const float width = std::min(em(24), text_width(error) + 2 * padding.x + 1);
    const float height =
        ImGui::CalcTextSize(error.data(), end_of(error), false, width - 2 * padding.x).y + 2 * padding.y;
    const bool above = most.y + gap + height > room.y;
    const ImVec2 below(std::max(0.0f, std::min(least.x, room.x - width)),
                       above ? least.y - gap - height : most.y + gap);
    ImGui::SetNextWindowPos(place_beside({width, height}, least.x).value_or(below));
    ImGui::SetNextWindowSize(ImVec2(width, 0));
    // A tooltip window is on top and takes no input.
    ImGui::Begin("##said", nullptr, kPlainWindow | ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_NoInputs);
    error_text(error);
    ImGui::End();
}

std::string fitted(std::string_view text, float width) {
    if (text_width(text) <= width) return std::string(text);
    constexpr std::string_view kEllipsis = "...";
    const float room = std::max(0.0f, width - text_width(kEllipsis));
    std::size_t length = text.size();
    // Never cut within a UTF-8 character.
    const auto is_inside = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };
    while (length > 0 && (is_inside(length) || text_width(text.substr(0, length)) > room)) --length;
    return fmt::format("{}{}", text.substr(0, length), kEllipsis);
}

void fitted_text(std::string_view text, float width, const ImVec4& color, std::string_view tip) {
    const std::string shown = fitted(text, width);
    colored_text(shown, color);
    tooltip(shown == text ? std::string(tip)
            : tip.empty() ? std::string(text)
                          : fmt::format("{}\n{}", text, tip));
}

void subtitle(const char* text, std::string_view tip) {
    ImGui::Dummy(ImVec2(0, em(0.1f)));
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    colored_text(text, faint_color());
    tooltip(tip);
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const float y = (least.y + most.y) / 2;
    const float left = most.x + ImGui::GetStyle().ItemSpacing.x;
    if (left < right)
        ImGui::GetWindowDrawList()->AddLine(
            ImVec2(left, y), ImVec2(right, y), ImGui::GetColorU32(ImGuiCol_Separator));
}

void same_line() {
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
}

void row(const char* label, std::string_view tip, float keep) {
    const float start = ImGui::GetCursorPosX();
    const bool narrow = ImGui::GetContentRegionAvail().x < em(14);
    if (!narrow) ImGui::AlignTextToFramePadding();
    if (!narrow || *label) {
        ImGui::TextUnformatted(label);
        tooltip(tip);
    }
    // A fixed width aligns the controls.
    if (!narrow) ImGui::SameLine(start + em(7.2f));
    const float after = keep > 0 ? keep + ImGui::GetStyle().ItemInnerSpacing.x : 0;
    ImGui::SetNextItemWidth(std::max(1.0f, ImGui::GetContentRegionAvail().x - after));
}

ImVec2 button_size(int parts) {
    const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
    const float width = (ImGui::GetContentRegionAvail().x - spacing * float(parts - 1)) / float(parts);
    return ImVec2(std::max(1.0f, width), 0);
}

bool button(const char* label, ImVec2 size, std::string_view tip, std::string_view why_not) {
    // In a narrow button the label takes the room of the padding.
    ImVec2 padding = ImGui::GetStyle().FramePadding;
    if (size.x > 0)
        padding.x = std::clamp((size.x - ImGui::CalcTextSize(label, nullptr, true).x) / 2, 0.0f, padding.x);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, padding);
    ImGui::BeginDisabled(!why_not.empty());
    const bool pressed = ImGui::Button(label, size);
    ImGui::EndDisabled();
    ImGui::PopStyleVar();
    tooltip(why_not.empty() ? tip : why_not);
    return pressed;
}

bool checkbox(const char* label, bool* value, std::string_view tip) {
    const bool changed = ImGui::Checkbox(label, value);
    tooltip(tip);
    return changed;
}

bool lit_button(const char* label,
                ImVec2 size,
                bool lit,
                std::string_view tip,
                std::string_view why_not,
                ImGuiCol unlit) {
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(lit ? ImGuiCol_ButtonActive : unlit));
    const bool pressed = button(label, size, tip, why_not);
    ImGui::PopStyleColor();
    return pressed;
}

void copy_button(UiState& ui,
                 const char* owner,
                 ImVec2 size,
                 const std::string& text,
                 std::string_view tip,
                 std::string_view why_not) {
    const char* label = says_copied(ui, owner) ? ICON_COPY " Copied###copy" : ICON_COPY " Copy###copy";
    if (!button(label, size, tip, why_not)) return;
    ImGui::SetClipboardText(printable_lines(text).c_str());
    say_copied(ui, owner);
}

void say_copied(UiState& ui, const char* owner) {
    constexpr double kSaidFor = 1.5;  // seconds
    ui.panel.copied = owner;
    ui.panel.copied_until = ImGui::GetTime() + kSaidFor;
}

bool says_copied(const UiState& ui, std::string_view owner) {
    return ui.panel.copied == owner && ImGui::GetTime() < ui.panel.copied_until;
}

bool button_row(const char* label, std::string_view tip, std::string_view why_not) {
    row("", "");
    return button(label, button_size(1), tip, why_not);
}

bool checkbox_row(const char* label, bool* value, std::string_view tip) {
    row("", "");
    return checkbox(label, value, tip);
}

void flag_row(UiState& ui, const char* label, const char* setting, bool now, std::string_view tip) {
    if (checkbox_row(label, &now, tip)) ui.act(action::Change{setting, now ? "true" : "false"});
}

bool unfolded(const char* title, std::string_view tip, ImGuiTreeNodeFlags flags) {
    const bool open = ImGui::TreeNodeEx(title, ImGuiTreeNodeFlags_NoTreePushOnOpen | flags);
    tooltip(tip);
    return open;
}

std::optional<int> segmented(const char* id, std::span<const Segment> segments, int chosen) {
    std::optional<int> clicked;
    ImGui::PushID(id);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(1, ImGui::GetStyle().ItemSpacing.y));
    // Centred labels need no padding, which would cut them in a narrow panel.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(1, ImGui::GetStyle().FramePadding.y));
    const float left = ImGui::GetCursorPosX(), line = ImGui::GetContentRegionAvail().x;
    float text = 0;
    for (const Segment& segment : segments) text += text_width(segment.label);
    // Each label has the same room around it, so that long ones do not touch their borders.
    const float around = (line - float(segments.size() - 1) - text) / float(segments.size());
    const bool fits = around >= 2;
    for (int i = 0; i < int(segments.size()); ++i) {
        const Segment& segment = segments[std::size_t(i)];
        const float width = std::max(1.0f, fits ? text_width(segment.label) + around : line);
        if (i > 0 && fits) ImGui::SameLine();
        if (!fits) ImGui::SetCursorPosX(left);
        if (lit_button(segment.label, {width, 0}, i == chosen, segment.tip) && i != chosen) clicked = i;
    }
    ImGui::PopStyleVar(2);
    ImGui::PopID();
    return clicked;
}

std::optional<std::size_t> name_row(const char* label,
                                    std::span<const std::string> names,
                                    std::string_view chosen,
                                    std::string_view tip) {
    std::optional<std::size_t> clicked;
    combo_row(label, std::string(chosen).c_str(), tip, [&] {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (choice(names[i].c_str(), names[i] == chosen, "")) clicked = i;
    });
    return clicked;
}

bool begin_values(const char* id, bool units) {
    if (!ImGui::BeginTable(id, units ? 3 : 2)) return false;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 1.0f);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 1.0f);
    if (units) ImGui::TableSetupColumn("unit", ImGuiTableColumnFlags_WidthFixed, em(4.2f));
    return true;
}

void value_row(const char* label, std::string_view value, std::string_view unit, std::string_view tip) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(label);
    tooltip(tip);
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x - text_width(value);
    if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    ImGui::TextUnformatted(value.data(), end_of(value));
    tooltip(tip);
    if (ImGui::TableGetColumnCount() < 3) return;
    ImGui::TableNextColumn();
    colored_text(unit, faint_color());
    tooltip(tip);
}

void value_row(const char* label, double measured, std::string_view unit, std::string_view tip) {
    value_row(label, format_measured(measured), unit, tip);
}

void begin_area(const char* name, const Area& area, ImVec2 padding, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(area.at(0, 0));
    ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::Begin(name, nullptr, flags);
    ImGui::PopStyleVar(4);
}

void share_bar(double share, std::string_view text, std::string_view tip) {
    const std::string label(text);
    ImVec4 fill = ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive);
    fill.w *= 0.6f;
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, fill);
    ImGui::ProgressBar(float(std::clamp(share, 0.0, 1.0)), ImVec2(-FLT_MIN, 0), label.c_str());
    ImGui::PopStyleColor();
    tooltip(tip);
}

}  // namespace stencil
