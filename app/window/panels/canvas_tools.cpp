#include <fmt/format.h>

#include <cmath>
#include <string>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

struct ToolButton {
    const char* icon;
    UiCommand choose;
    Tool tool;
    std::string_view tip;
};

constexpr ToolButton kTools[] = {
    {ICON_BRUSH,
     use_brush,
     Tool::paint,
     "Paint: left paints the value, right paints 0. Ctrl+wheel changes the radius"},
    {ICON_ERASER, use_eraser, Tool::paint, "Erase: left paints 0"},
    {ICON_PICK, use<Tool::pick>, Tool::pick, "Eyedropper: the next click on the field picks its value"},
    {ICON_PROBE,
     use<Tool::probe>,
     Tool::probe,
     "Probe: left places a probe, which records the cell's value over time; right removes it"},
    {ICON_PROFILE,
     use<Tool::profile>,
     Tool::profile,
     "Line: left draws a line or moves its end; Measure plots the values along it. Right removes the "
     "nearest"},
    {ICON_HAND, use<Tool::pan>, Tool::pan, "Pan: left drags the view, as the middle button always does"}};

// Buttons that are not active have no background.
bool flat_button(const std::string& label, ImVec2 size, bool active, std::string_view tip) {
    return lit_button(label.c_str(), size, active, tip, "", ImGuiCol_ChildBg);
}

struct ViewButton {
    const char* icon;
    const char* label;
    UiCommand command;
};

constexpr ViewButton kViewButtons[] = {
    {ICON_FIT, "Fit", fit}, {"", "1:1", one_cell_per_pixel}, {ICON_THREE, "3-up", toggle_three_up}};

std::string caption_of(const ViewButton& row, bool words) {
    const std::string icon = row.icon;
    return icon.empty() ? row.label : words ? icon + " " + row.label : icon;
}

float corner_width(bool words) {
    const float padding = em(0.4f), gap = em(0.15f);
    float width = -gap;
    for (const ViewButton& row : kViewButtons)
        width += text_width(caption_of(row, words)) + 2 * padding + gap;
    return width;
}

}  // namespace

float tool_side() {
    return std::round(1.15f * ImGui::GetFrameHeight());
}

void draw_tools(UiState& ui, const Snapshot& snapshot) {
    const ImVec2 side(tool_side(), tool_side());
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, std::round(em(0.2f))));
    for (const ToolButton& row : kTools) {
        const bool active =
            ui.tool == row.tool && (row.tool != Tool::paint || ui.erases == (row.choose == use_eraser));
        const std::string label = fmt::format("{}###{}", row.icon, shortcut_of(row.choose)->keys());
        if (flat_button(label, side, active, with_keys(row.tip, row.choose))) row.choose(ui, snapshot);
    }
    ImGui::PopStyleVar(2);
}

void draw_canvas_corner(UiState& ui, const Snapshot& snapshot) {
    const Area strip = area_of(ui.corner);
    const bool words = strip.width >= corner_width(true) + em(16);
    const float width = corner_width(words);
    if (strip.width < width + em(4)) return;
    const float height = std::round(ImGui::GetTextLineHeight() + em(0.2f));
    const Area at{std::floor(strip.x + strip.width - width),
                  std::floor(strip.y + strip.height / 2 - height / 2),
                  width,
                  height};
    begin_area("##corner", at, ImVec2(0, 0), kPlainWindow | ImGuiWindowFlags_NoBackground);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(em(0.4f), 0));
    for (const ViewButton& row : kViewButtons) {
        if (&row != kViewButtons) ImGui::SameLine(0, em(0.15f));
        const bool active = row.command == toggle_three_up && is_three_up(ui);
        const std::string label = fmt::format("{}###{}", caption_of(row, words), row.label);
        const std::string tip = with_keys(shortcut_of(row.command)->what, row.command);
        if (flat_button(label, ImVec2(0, height), active, tip)) row.command(ui, snapshot);
    }
    ImGui::PopStyleVar();
    ImGui::End();
    ui.corner_taken = double(width + em(0.6f)) * ImGui::GetIO().DisplayFramebufferScale.x;
}

}  // namespace stencil
