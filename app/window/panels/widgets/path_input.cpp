#include "app/window/panels/widgets/path_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/window/icons.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/files/folder.h"

namespace stencil {
namespace {

constexpr std::string_view kNoDialog =
    "The desktop's dialog comes with zenity or kdialog, of which neither is installed";

void ask(PathDialog& dialog, unsigned field, PathKind kind, const std::string& path) {
    std::error_code failed;
    std::filesystem::path start = std::filesystem::absolute(path.empty() ? "." : path, failed);
    while (!std::filesystem::is_directory(start, failed) && start.has_relative_path())
        start = start.parent_path();
    dialog.field = field;
    dialog.asked = PathQuestion{kind, start.string()};
}

// Returns true if one of the recent paths was chosen.
bool draw_choices(UiState& ui, unsigned field, std::string& path) {
    bool chosen = false;
    if (!ImGui::BeginPopup("paths")) return false;
    if (ImGui::MenuItem("Browse...", nullptr, false, ui.dialog.there))
        ask(ui.dialog, field, PathKind::file, path);
    if (!ui.dialog.there) tooltip(kNoDialog);
    if (!ui.preferences.recent.empty()) ImGui::Separator();
    for (std::size_t i = 0; i < ui.preferences.recent.size(); ++i) {
        const std::string& recent = ui.preferences.recent[i];
        ImGui::PushID(int(i));
        if (ImGui::MenuItem(std::filesystem::path(recent).filename().string().c_str())) {
            path = recent;
            chosen = true;
        }
        tooltip(recent);
        ImGui::PopID();
    }
    ImGui::EndPopup();
    return chosen;
}

}  // namespace

bool path_input(
    const char* id, UiState& ui, std::string& path, PathKind kind, std::string_view tip, float keep) {
    const bool folder = kind == PathKind::folder;
    const ImGuiStyle& style = ImGui::GetStyle();
    const float side = text_width(ICON_FOLDER) + 2 * style.FramePadding.x, spacing = style.ItemInnerSpacing.x;
    ImGui::SetNextItemWidth(std::max(1.0f, ImGui::GetContentRegionAvail().x - keep - side - spacing));
    bool entered = text_input(id, folder ? "a folder" : "a path", path, tip);
    const unsigned field = ImGui::GetItemID();
    if (entered || ImGui::IsItemDeactivatedAfterEdit()) path = expanded_home(path);
    ImGui::SameLine(0, spacing);
    ImGui::PushID(id);
    const bool pressed = button(ICON_FOLDER,
                                ImVec2(side, 0),
                                folder ? "Chooses a folder" : "Chooses a file, or one of those opened before",
                                folder && !ui.dialog.there ? kNoDialog : "");
    if (pressed && folder) ask(ui.dialog, field, kind, path);
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
