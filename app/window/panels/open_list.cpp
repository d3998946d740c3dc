// The list of what can be opened, with thumbnails where they are quick to read.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "sim/import/model_file.h"
#include "sim/session/gallery/thumbnail.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Says what a session is; nothing if it cannot be read.
void tell_of_session(GalleryPicture& picture, const std::string& path) {
    try {
        const RunSpec spec = read_spec(path);
        const auto written = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(path));
        const std::time_t when = std::chrono::system_clock::to_time_t(
            std::chrono::time_point_cast<std::chrono::system_clock::duration>(written));
        std::tm local{};
        localtime_r(&when, &local);
        const Size size = spec.size.value_or(Size());
        picture.title = printable(model_title(*spec.model));
        picture.about =
            fmt::format("{}x{}, step {}, {:%e %b, %H:%M}", size.nx, size.ny, format_count(spec.steps), local);
    } catch (const std::exception&) {
        picture.title.clear();
    }
}

RecentPictures read_pictures(std::vector<std::string> paths, std::size_t sessions) {
    RecentPictures all{std::move(paths), Gallery::Pictures(kSessions + kRecent)};
    for (std::size_t i = 0; i < std::min(all.paths.size(), all.pictures.size()); ++i) {
        GalleryPicture picture = picture_of_path(all.paths[i]);
        if (i < sessions) tell_of_session(picture, all.paths[i]);
        all.pictures[i] = std::make_shared<const GalleryPicture>(std::move(picture));
    }
    return all;
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
    std::vector<std::string> paths = ui.panel.exports.sessions;
    const std::size_t sessions = paths.size();
    paths.insert(paths.end(), ui.preferences.recent.begin(), ui.preferences.recent.end());
    state.waits |= !state.pictures.follow(fmt::format("{}", fmt::join(paths, "\n")),
                                          [=] { return read_pictures(paths, sessions); });
}

std::vector<std::pair<std::string, const GalleryPicture*>> sessions_to_continue(const UiState& ui) {
    const RecentPictures& read = ui.panel.recent.pictures.result;
    std::vector<std::pair<std::string, const GalleryPicture*>> found;
    for (const std::string& path : ui.panel.exports.sessions) {
        const auto at = std::size_t(std::ranges::find(read.paths, path) - read.paths.begin());
        const GalleryPicture* known = at < read.paths.size() ? read.pictures[at].get() : nullptr;
        if (!known || !known->title.empty()) found.emplace_back(path, known);
    }
    return found;
}

bool draw_opening(const UiState& ui, const std::string& label, const std::string& path, float width) {
    const auto index = recent_picture(ui, path);
    if (!index && label.find('\n') == label.npos) return ImGui::MenuItem(label.c_str());
    const float side = em(2.8f), gap = em(0.5f);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + side + gap);
    ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, 0.5f));
    const bool clicked =
        ImGui::Selectable(label.c_str(), false, 0, ImVec2(width > 0 ? width - side - gap : 0, side));
    ImGui::PopStyleVar();
    if (index) draw_thumbnail(ui.recent, *index, at, side);
    return clicked;
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
    const auto sessions = sessions_to_continue(ui);
    const auto draw_session = [&](const std::string& before, const auto& session, const std::string& tip) {
        const auto& [path, known] = session;
        const std::string label = before + (known ? known->title + "\n" + known->about : "last session");
        if (draw_opening(ui, label + "##" + path, path)) continue_session(ui, path);
        tooltip(tip);
    };
    if (sessions.empty())
        ImGui::MenuItem("Continue last session", nullptr, false, false);
    else
        draw_session("Continue ", sessions.front(), "Opens the last session at its last step\n--continue");
    if (ImGui::MenuItem(
            "Resume the checkpoint", nullptr, false, !snapshot.exporting && !state.folder.empty()))
        ui.act(action::Resume{state.folder});
    tooltip(fmt::format("Goes on from the checkpoint in {}\n--resume DIR", state.folder));
    if (ImGui::MenuItem("Gallery", "G")) toggle_gallery(ui, snapshot);
    if (sessions.size() > 1) subtitle("Sessions before", "Each is opened at its last step");
    for (std::size_t i = 1; i < sessions.size(); ++i) draw_session("", sessions[i], sessions[i].first);
    const std::vector<std::string> recent = ui.preferences.recent;  // opening reorders the list
    if (!recent.empty()) subtitle("Recent", "Runs, pictures, arrays and kernels opened before");
    for (const std::string& path : recent) {
        const std::string label = fmt::format("{}##{}", brief_name(path), path);
        if (draw_opening(ui, label, path)) open_path(ui, path);
        tooltip(path);
    }
    draw_choice_of_path(ui);
}

}  // namespace stencil
