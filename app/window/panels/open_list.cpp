// The list of what can be opened.
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
#include "app/window/sessions.h"
#include "sim/import/model_file.h"

namespace stencil {
namespace {

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

std::vector<SessionRow> sessions_to_continue(UiState& ui) {
    SessionsState& state = ui.panel.sessions;
    const bool read =
        state.cards.follow(fmt::format("{}", fmt::join(state.files, "\n")), [files = state.files] {
            GalleryPictures cards;
            for (const std::string& file : files)
                cards.push_back(std::make_shared<const GalleryPicture>(card_of_session(file)));
            return cards;
        });
    state.waits |= !read;
    std::vector<SessionRow> found;
    for (std::size_t i = 0; i < state.files.size(); ++i) {
        const bool known = read && i < state.cards.result.size();
        const GalleryPicture* card = known ? state.cards.result[i].get() : nullptr;
        if (!card || !card->title.empty()) found.push_back({i, state.files[i], card});
    }
    return found;
}

bool draw_session(const UiState& ui, const std::string& label, const SessionRow& session, float width) {
    const float side = em(2.8f), gap = em(0.5f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + side + gap);
    ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, 0.5f));
    const std::string text = fmt::format("{}##{}", label, session.path);
    const bool clicked =
        ImGui::Selectable(text.c_str(), false, 0, ImVec2(width > 0 ? width - side - gap : 0, side));
    ImGui::PopStyleVar();
    if (has_thumbnail(ui.sessions, session.index)) draw_thumbnail(ui.sessions, session.index, at, side);
    return clicked;
}

void draw_open_choice(UiState& ui, const Snapshot& snapshot) {
    const ExportChoices& state = ui.preferences.exports;
    const auto sessions = sessions_to_continue(ui);
    const auto draw = [&](const std::string& before, const SessionRow& session, const std::string& tip) {
        const GalleryPicture* card = session.card;
        const std::string label = before + (card ? card->title + "\n" + card->about : "last session");
        if (draw_session(ui, label, session)) continue_session(ui, session.path);
        tooltip(tip);
    };
    if (sessions.empty())
        ImGui::MenuItem("Continue last session", nullptr, false, false);
    else
        draw("Continue ", sessions.front(), "Opens the last session at its last step\n--continue");
    if (ImGui::MenuItem(
            "Resume the checkpoint", nullptr, false, !snapshot.exporting && !state.folder.empty()))
        ui.act(action::Resume{state.folder});
    tooltip(fmt::format("Goes on from the checkpoint in {}\n--resume DIR", state.folder));
    if (ImGui::MenuItem("Gallery", "G")) toggle_gallery(ui, snapshot);
    if (sessions.size() > 1) subtitle("Sessions before", "Each is opened at its last step");
    for (std::size_t i = 1; i < sessions.size(); ++i) draw("", sessions[i], sessions[i].path);
    const std::vector<std::string> recent = ui.preferences.recent;  // opening reorders the list
    if (!recent.empty()) subtitle("Recent", "Runs, pictures, arrays and kernels opened before");
    for (const std::string& path : recent) {
        const std::string label = fmt::format("{}##{}", brief_name(path), path);
        if (ImGui::MenuItem(label.c_str())) open_path(ui, path);
        tooltip(path);
    }
    draw_choice_of_path(ui);
}

}  // namespace stencil
