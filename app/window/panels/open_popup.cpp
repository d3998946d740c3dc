#include <fmt/format.h>

#include <filesystem>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

// Names a path by its end; the files of a run are told apart by their folder.
std::string brief_name(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return path.has_parent_path() ? (path.parent_path().filename() / name).string() : name;
}

void draw_recent(UiState& ui) {
    if (ui.preferences.recent.empty()) return;
    subtitle("Recent", "Runs, pictures, arrays and kernels opened before");
    const std::vector<std::string> recent = ui.preferences.recent;  // opening reorders the list
    for (const std::string& path : recent) {
        if (ImGui::MenuItem(fmt::format("{}##{}", brief_name(path), path).c_str())) open_path(ui, path);
        tooltip(path);
    }
}

void draw_choice_of_path(UiState& ui) {
    std::string& path = ui.panel.exports.spec_path;
    constexpr std::string_view kTip =
        "A run's folder or spec.json (opened at its last step), a picture or array to start from, or a "
        "kernel "
        "(.cu)\n--spec FILE.json, --initial FILE, --kernel FILE.cu";
    subtitle("File or folder", kTip);
    const bool entered = path_input("##spec", ui, path, PathKind::file, kTip);
    if ((button("Open", button_size(1), kTip, path.empty() ? "Enter a path" : "") || entered) &&
        !path.empty()) {
        open_path(ui, path);
        ImGui::CloseCurrentPopup();
    }
}

}  // namespace

void draw_open_choice(UiState& ui, const Snapshot& snapshot) {
    const ExportState& state = ui.panel.exports;
    if (ImGui::MenuItem("Continue last session", nullptr, false, !state.last_session.empty()))
        ui.act(action::Open{state.last_session});
    tooltip("Opens the previous session at its last step\n--continue");
    if (ImGui::MenuItem(
            "Resume the checkpoint", nullptr, false, !snapshot.exporting && !state.folder.empty()))
        ui.act(action::Resume{state.folder});
    tooltip(fmt::format("Goes on from the checkpoint in {}\n--resume DIR", state.folder));
    if (ImGui::MenuItem("Gallery", "G")) toggle_gallery(ui, snapshot);
    draw_recent(ui);
    draw_choice_of_path(ui);
}

}  // namespace stencil
