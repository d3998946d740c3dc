#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

constexpr const char* kOpen = "Open folder";

/// The newest message so far, and until when it is shown unless it is an error (ImGui's time).
struct NoticeState {
    int newest = 0;
    double until = 0;
};

void draw_dismiss(UiState& ui, const Message& message) {
    const IdScope scope(message.id);
    if (button(ICON_CLOSE, ImVec2(0, 0), "Dismisses this message"))
        ui.act(action::DismissMessage{message.id});
}

// Draws a button that opens the folder written to, for messages about exports.
void draw_open(UiState& ui, const Message& message) {
    if (message.folder.empty()) return;
    const std::string label = fmt::format("{}###open{}", kOpen, message.id);
    if (button(label.c_str(), ImVec2(0, 0), "Shows " + message.folder + " in the file manager"))
        open_folder(ui, message.folder);
    ImGui::SameLine();
}

void draw_all_messages(UiState& ui, const Snapshot& snapshot) {
    ImGui::SetNextWindowSize(ImVec2(std::min(em(40), 0.9f * ImGui::GetIO().DisplaySize.x), 0));
    if (!ImGui::BeginPopup("messages")) return;
    for (std::size_t i = snapshot.messages.size(); i-- > 0;) {
        const Message& message = snapshot.messages[i];
        draw_dismiss(ui, message);
        ImGui::SameLine();
        draw_open(ui, message);
        const bool error = message.level == Message::Level::error;
        paragraph(message.text, error ? error_color() : text_color());
    }
    ImGui::EndPopup();
}

void draw_message(UiState& ui, const Snapshot& snapshot, const Message& message) {
    const bool error = message.level == Message::Level::error;
    const ImVec4 color = error ? error_color() : text_color();
    const bool several = snapshot.messages.size() > 1;
    const std::string all = several ? fmt::format("All {}", snapshot.messages.size()) : "";
    const ImGuiStyle& style = ImGui::GetStyle();
    const auto room_of = [&](std::string_view label) {
        return text_width(label) + 2 * style.FramePadding.x + style.ItemSpacing.x;
    };
    const float buttons =
        room_of(ICON_CLOSE) + (several ? room_of(all) : 0) + (message.folder.empty() ? 0 : room_of(kOpen));
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - buttons;
    ImGui::AlignTextToFramePadding();
    colored_text(error ? ICON_WARNING : ICON_INFO, color);
    ImGui::SameLine();
    const std::string first = message.text.substr(0, message.text.find('\n'));
    // Two and a half lines of text wrap to at most three.
    ImGui::PushTextWrapPos(right);
    fitted_text(first, 2.5f * (right - ImGui::GetCursorPosX()), color);
    ImGui::PopTextWrapPos();
    ImGui::SameLine(right + style.ItemSpacing.x);
    draw_open(ui, message);
    if (several) {
        if (button(all.c_str(), ImVec2(0, 0), "Shows all messages")) ImGui::OpenPopup("messages");
        ImGui::SameLine();
    }
    draw_all_messages(ui, snapshot);
    draw_dismiss(ui, message);
    if (first.size() == message.text.size()) return;
    const std::string_view rest = std::string_view(message.text).substr(first.size() + 1);
    if (error)
        error_text(rest);  // the line with the mistake, and the caret under it
    else
        paragraph(rest, faint_color());
}

// Returns the message to show: the newest while it is news, else the newest error; null: none.
const Message* shown_message(NoticeState& state, const Snapshot& snapshot) {
    constexpr double kNews = 10;  // seconds
    const std::vector<Message>& all = snapshot.messages;
    if (all.empty()) return nullptr;
    if (all.back().id > state.newest) state = {all.back().id, ImGui::GetTime() + kNews};
    if (all.back().id == state.newest && ImGui::GetTime() < state.until) return &all.back();
    const auto error = std::ranges::find(all.rbegin(), all.rend(), Message::Level::error, &Message::level);
    return error == all.rend() ? nullptr : &*error;
}

}  // namespace

// Draws over the field's lower edge, so that nothing moves when a message comes and goes.
void draw_notices(UiState& ui, const Snapshot& snapshot) {
    auto& state = ui.panel.of<NoticeState>();
    const Message* message = shown_message(state, snapshot);
    if (!message) return;
    const Area canvas = area_of(ui.canvas), field = area_of(ui.picture.width > 0 ? ui.picture : ui.canvas);
    const ImVec2 foot(canvas.at(0.5f, 0).x, field.at(0, 1).y - em(4));
    ImGui::SetNextWindowPos(foot, ImGuiCond_Always, ImVec2(0.5f, 1));
    ImGui::SetNextWindowSize(ImVec2(std::min(em(44), canvas.width), 0));
    ImGui::Begin("##notices", nullptr, kPlainWindow);
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows)) state.until = ImGui::GetTime() + 2;
    draw_message(ui, snapshot, *message);
    ImGui::End();
}

bool notice_fades(const UiState& ui, const Snapshot& snapshot) {
    return !snapshot.messages.empty() && ImGui::GetTime() < ui.panel.of<NoticeState>().until;
}

}  // namespace stencil
