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

// Draws a button with its key at the right and, if there is room, a second line about it; with the session's
// thumbnail, if there is one, instead of the icon.
bool draw_beginning(const UiState& ui,
                    const Beginning& row,
                    const std::string& title,
                    const std::string& about,
                    bool with_about,
                    const SessionRow* session = nullptr) {
    const float line = ImGui::GetTextLineHeight(), pad = em(0.5f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, std::round((with_about ? 2.1f : 1) * line + 2 * pad));
    const bool clicked = ImGui::Button(fmt::format("##{}", row.title).c_str(), size);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text), faint = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool picture = session && has_thumbnail(ui.sessions, session->index);
    const float side = size.y - pad / 2, left = at.x + (picture ? side + pad : em(2.6f));
    list->PushClipRect(at, ImVec2(at.x + size.x, at.y + size.y), true);
    if (picture)
        draw_thumbnail(ui.sessions, session->index, ImVec2(at.x + pad / 4, at.y + pad / 4), side);
    else
        list->AddText(ImVec2(at.x + em(0.9f), at.y + (size.y - line) / 2), ink, row.icon);
    list->AddText(ImVec2(left, at.y + pad), ink, title.c_str());
    if (with_about) list->AddText(ImVec2(left, at.y + pad + 1.1f * line), faint, about.c_str());
    if (const Shortcut* shortcut = shortcut_of(row.command)) {
        const std::string keys = shortcut->keys();
        list->AddText(ImVec2(at.x + size.x - text_width(keys) - em(0.8f), at.y + pad), faint, keys.c_str());
    }
    list->PopClipRect();
    return clicked;
}

// Whether something of this height still fits on the card.
bool fits(const UiState& ui, float height) {
    return ImGui::GetCursorPosY() + height + em(1) < area_of(ui.canvas).height;
}

// Draws the last session as a button. Returns whether it was chosen.
bool draw_continue(UiState& ui, bool with_about) {
    const auto sessions = sessions_to_continue(ui);
    if (sessions.empty()) return false;
    constexpr Beginning kRow{ICON_PLAY, "Continue", "", nullptr};
    const auto& [index, path, card] = sessions.front();
    const bool chosen = draw_beginning(ui,
                                       kRow,
                                       card ? "Continue: " + card->title : "Continue",
                                       card ? card->about : "",
                                       with_about,
                                       &sessions.front());
    tooltip("Opens the last session at the last step that was kept\n--continue");
    if (chosen) continue_session(ui, path);
    return chosen;
}

// Draws the sessions before that one, in two columns. Returns whether one was chosen.
bool draw_earlier_sessions(UiState& ui) {
    const auto sessions = sessions_to_continue(ui);
    const float column = ImGui::GetContentRegionAvail().x / 2;
    bool chosen = false;
    for (std::size_t i = 1; i < sessions.size() && (i % 2 == 0 || fits(ui, em(i == 1 ? 5.5f : 3.3f))); ++i) {
        const auto& [index, path, card] = sessions[i];
        if (!card) break;
        if (i == 1) subtitle("Sessions before", "Each is opened at its last step");
        if (i % 2 == 0) ImGui::SameLine(column);
        ImGui::BeginGroup();
        // Break the line at the comma before the date.
        std::string about = card->about;
        about.replace(about.find(", ", about.find("step")), 2, "\n");
        if (draw_session(ui,
                         fmt::format("{}\n{}", fitted(card->title, column - em(5)), about),
                         sessions[i],
                         column - em(1))) {
            continue_session(ui, path);
            chosen = true;
        }
        ImGui::EndGroup();
        tooltip(card->title + "\n" + card->about + "\n" + path);
    }
    return chosen;
}

}  // namespace

void draw_start_page(UiState& ui, const Snapshot& snapshot) {
    if (!ui.panel.start_page) return;
    const Area canvas = area_of(ui.canvas);
    const float wide = std::min(em(28), canvas.width);
    ImGui::SetNextWindowPos(canvas.at(0.5f, 0.5f), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, canvas.height));
    ImGui::Begin("##start", nullptr, kPlainWindow | ImGuiWindowFlags_AlwaysAutoResize);
    const bool with_about = canvas.height > em(28);
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    bool chosen = draw_continue(ui, with_about);
    for (const Beginning& row : kBeginnings) {
        if (!draw_beginning(ui, row, row.title, row.about, with_about)) continue;
        row.command(ui, snapshot);
        chosen = true;
    }
    ImGui::PopStyleColor();
    chosen |= draw_earlier_sessions(ui);
    // A button acts when the mouse is released over it, so a click on the card ends the start page only on
    // release.
    const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    for (const ImGuiMouseButton button : {0, 1, 2})
        chosen |= over ? ImGui::IsMouseReleased(button) : ImGui::IsMouseClicked(button);
    if (chosen) ui.panel.start_page = false;
    ImGui::End();
}

}  // namespace stencil
