#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

/// A way to begin.
struct Beginning {
    const char* icon;
    const char* title;
    const char* about;
    UiCommand command;
};

constexpr Beginning kBeginnings[] = {
    {ICON_BRUSH, "Draw", "Paint on the field while it runs", use_brush},
    {ICON_FOLDER, "Open", "A run, a picture, an array or a checkpoint", show_open_popup},
    {ICON_PICTURE, "Gallery", "Ready runs and models, with pictures", toggle_gallery},
    {ICON_EDIT, "Your equation", "Type it as mathematics; it runs as you type", toggle_large_editor},
    {ICON_COMPASS, "Tour", "A first look in eight cards", begin_tour}};

// Draws a button with its key at the right and, if there is room, a second line about it.
bool draw_beginning(const Beginning& row, bool with_about) {
    const float line = ImGui::GetTextLineHeight(), pad = em(0.5f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, std::round((with_about ? 2.1f : 1) * line + 2 * pad));
    const bool clicked = ImGui::Button(fmt::format("##{}", row.title).c_str(), size);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text), faint = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = at.x + em(2.6f);
    list->PushClipRect(at, ImVec2(at.x + size.x, at.y + size.y), true);
    list->AddText(ImVec2(at.x + em(0.9f), at.y + (size.y - line) / 2), ink, row.icon);
    list->AddText(ImVec2(left, at.y + pad), ink, row.title);
    if (with_about) list->AddText(ImVec2(left, at.y + pad + 1.1f * line), faint, row.about);
    if (const Shortcut* shortcut = shortcut_of(row.command)) {
        const std::string keys(shortcut->keys);
        list->AddText(ImVec2(at.x + size.x - text_width(keys) - em(0.8f), at.y + pad), faint, keys.c_str());
    }
    list->PopClipRect();
    return clicked;
}

constexpr int kRecentColumns = 5;

// Draws what was opened last as thumbnails with names, as far as there are such. Returns whether one was
// chosen.
bool draw_recent_tiles(UiState& ui) {
    want_recent_pictures(ui);
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float side =
        std::floor((ImGui::GetContentRegionAvail().x - (kRecentColumns - 1) * gap) / kRecentColumns);
    int drawn = 0;
    bool chosen = false;
    const std::vector<std::string> recent = ui.preferences.recent;  // opening reorders the list
    for (const std::string& path : recent) {
        const auto index = recent_picture(ui, path);
        if (!index) continue;
        if (drawn == 0) subtitle("Recent", "Opened before; Open (Ctrl+O) lists all");
        if (drawn++ % kRecentColumns != 0) ImGui::SameLine(0, gap);
        ImGui::BeginGroup();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (ImGui::InvisibleButton(path.c_str(), ImVec2(side, side))) {
            open_path(ui, path);
            chosen = true;
        }
        draw_thumbnail(ui.recent, *index, at, side);
        if (ImGui::IsItemHovered())
            ImGui::GetWindowDrawList()->AddRect(
                at, ImVec2(at.x + side, at.y + side), ImGui::GetColorU32(ImGuiCol_SliderGrabActive));
        tooltip(path);
        fitted_text(brief_name(path), side, faint_color());
        ImGui::EndGroup();
    }
    return chosen;
}

// Offers the session that a crash ended.
bool draw_crash(UiState& ui) {
    constexpr const char* kSaid = ICON_WARNING "  The last session ended unexpectedly.";
    const ImGuiStyle& style = ImGui::GetStyle();
    const float wanted =
        text_width(kSaid) + style.ItemSpacing.x + text_width("Continue") + 2 * style.FramePadding.x;
    const bool beside = wanted <= ImGui::GetContentRegionAvail().x;
    ImGui::AlignTextToFramePadding();
    paragraph(kSaid, warning_color());
    if (beside) ImGui::SameLine();
    if (!button("Continue", ImVec2(0, 0), "Opens it at the last step that was kept\n--continue"))
        return false;
    continue_session(ui);
    return true;
}

}  // namespace

void draw_start_page(UiState& ui, const Snapshot& snapshot) {
    StartPage& page = ui.panel.start;
    if (!page.shown) return;
    const Area canvas = area_of(ui.canvas);
    const float wide = std::min(em(28), canvas.width);
    ImGui::SetNextWindowPos(canvas.at(0.5f, 0.5f), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, canvas.height));
    ImGui::Begin("##start", nullptr, kPlainWindow | ImGuiWindowFlags_AlwaysAutoResize);
    bool chosen = page.crashed && !ui.panel.exports.last_session.empty() && draw_crash(ui);
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    for (const Beginning& row : kBeginnings) {
        if (!draw_beginning(row, canvas.height > em(24))) continue;
        row.command(ui, snapshot);
        chosen = true;
    }
    ImGui::PopStyleColor();
    if (canvas.height > em(38) && draw_recent_tiles(ui)) chosen = true;
    // A button acts when the mouse is released over it, so clicks on the card end it only then.
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    for (const ImGuiMouseButton button : {0, 1, 2})
        chosen |= over ? ImGui::IsMouseReleased(button) : ImGui::IsMouseClicked(button);
    if (chosen) page.shown = false;
    ImGui::End();
}

}  // namespace stencil
