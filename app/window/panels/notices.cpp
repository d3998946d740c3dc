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

void draw_dismiss(UiState& ui, const Message& message) {
    ImGui::PushID(message.id);
    if (button(ICON_CLOSE, ImVec2(0, 0), "Dismisses this message"))
        ui.act(action::DismissMessage{message.id});
    ImGui::PopID();
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

void draw_newest_message(UiState& ui, const Snapshot& snapshot) {
    const Message& message = snapshot.messages.back();
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
    fitted_text(first, right - ImGui::GetCursorPosX(), color);
    ImGui::SameLine(right + style.ItemSpacing.x);
    draw_open(ui, message);
    if (several) {
        if (button(all.c_str(), ImVec2(0, 0), "Shows all messages")) ImGui::OpenPopup("messages");
        ImGui::SameLine();
    }
    draw_all_messages(ui, snapshot);
    draw_dismiss(ui, message);
    // The line with the mistake, and the caret under it.
    if (first.size() < message.text.size())
        error_text(std::string_view(message.text).substr(first.size() + 1));
}

}  // namespace

float notices_height(const Snapshot& snapshot) {
    constexpr std::ptrdiff_t kMostLines = 4;
    if (snapshot.messages.empty()) return 0;
    const auto below = std::ranges::count(snapshot.messages.back().text, '\n');
    return ImGui::GetFrameHeight() + float(std::min(below, kMostLines)) * ImGui::GetTextLineHeight() +
           (below > 0 ? ImGui::GetStyle().ItemSpacing.y : 0);
}

void draw_notices(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.messages.empty()) draw_newest_message(ui, snapshot);
}

}  // namespace stencil
