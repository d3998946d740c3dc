// The list of what can be opened, with thumbnails where they are quick to read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "sim/import/model_file.h"
#include "sim/session/gallery/thumbnail.h"

namespace stencil {
namespace {

RecentPictures read_pictures(std::vector<std::string> paths) {
    RecentPictures all{std::move(paths), Gallery::Pictures(1 + kRecent)};
    for (std::size_t i = 0; i < std::min(all.paths.size(), all.pictures.size()); ++i)
        all.pictures[i] = std::make_shared<const GalleryPicture>(picture_of_path(all.paths[i]));
    return all;
}

// Draws a row with the path's thumbnail, or a plain one. Returns whether it was clicked.
bool draw_opening(const UiState& ui, const char* label, const std::string& path, bool enabled = true) {
    const auto index = recent_picture(ui, path);
    if (!index) return ImGui::MenuItem(label, nullptr, false, enabled);
    const float side = em(2.8f), gap = em(0.5f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImGuiSelectableFlags flags = enabled ? 0 : ImGuiSelectableFlags_Disabled;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + side + gap);
    ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, 0.5f));
    const bool clicked = ImGui::Selectable(label, false, flags, ImVec2(0, side));
    ImGui::PopStyleVar();
    draw_thumbnail(ui.recent, *index, at, side);
    return clicked;
}

void draw_choice_of_path(UiState& ui) {
    std::string& path = ui.panel.exports.spec_path;
    constexpr std::string_view kTip =
        "A run's folder or spec.json (opened at its last step), a model's text (.txt), a link "
        "(stencilscope:...), a file or link of VisualPDE (.json, https://...) or a pattern of Ready (.vti), "
        "a picture or array to start from, or a "
        "kernel (.cu)\n--spec FILE.json, --initial FILE, --kernel FILE.cu";
    subtitle("File, folder or link", kTip);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered = path_input("##spec", ui, path, PathKind::file, kTip);
    if ((button("Open", button_size(1), kTip, path.empty() ? "Enter a path" : "") || entered) &&
        !path.empty()) {
        open_path(ui, path);
        ImGui::CloseCurrentPopup();
    }
}

}  // namespace

std::string brief_name(const std::filesystem::path& path) {
    constexpr std::size_t kMost = 40;  // letters of a link, which may have thousands
    if (const std::string link = path.string(); is_link(link) && link.size() > kMost)
        return link.substr(0, kMost) + "...";
    const std::string name = path.filename().string();
    return path.has_parent_path() ? (path.parent_path().filename() / name).string() : name;
}

void want_recent_pictures(UiState& ui) {
    RecentState& state = ui.panel.recent;
    std::vector<std::string> paths{ui.panel.exports.last_session};
    paths.insert(paths.end(), ui.preferences.recent.begin(), ui.preferences.recent.end());
    state.waits |= !state.pictures.follow(fmt::format("{}", fmt::join(paths, "\n")),
                                          [paths] { return read_pictures(paths); });
}

std::optional<std::size_t> recent_picture(const UiState& ui, const std::string& path) {
    const auto found = std::ranges::find(ui.recent.paths, path);
    const auto index = std::size_t(found - ui.recent.paths.begin());
    return found != ui.recent.paths.end() && !path.empty() && has_thumbnail(ui.recent, index)
               ? std::optional(index)
               : std::nullopt;
}

void draw_open_choice(UiState& ui, const Snapshot& snapshot) {
    const ExportState& state = ui.panel.exports;
    want_recent_pictures(ui);
    if (draw_opening(ui, "Continue last session", state.last_session, !state.last_session.empty()))
        continue_session(ui);
    tooltip("Opens the previous session at its last step\n--continue");
    if (ImGui::MenuItem(
            "Resume the checkpoint", nullptr, false, !snapshot.exporting && !state.folder.empty()))
        ui.act(action::Resume{state.folder});
    tooltip(fmt::format("Goes on from the checkpoint in {}\n--resume DIR", state.folder));
    if (ImGui::MenuItem("Gallery", "G")) toggle_gallery(ui, snapshot);
    const std::vector<std::string> recent = ui.preferences.recent;  // opening reorders the list
    if (!recent.empty()) subtitle("Recent", "Runs, pictures, arrays and kernels opened before");
    for (const std::string& path : recent) {
        const std::string label = fmt::format("{}##{}", brief_name(path), path);
        if (draw_opening(ui, label.c_str(), path)) open_path(ui, path);
        tooltip(path);
    }
    draw_choice_of_path(ui);
}

}  // namespace stencil
