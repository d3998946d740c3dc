#include "app/window/panels/panels.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/format.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

constexpr double kShownFrom = 0.3;  // seconds: shorter actions would only flicker
/// Actions are shown once some have been running for a moment (ImGui's time).
struct LongActions {
    std::optional<double> since;
};

void draw_one(const LongAction& one, bool first, UiState& ui, const Snapshot& snapshot) {
    std::string far;
    if (one.share) far = fmt::format("{:.0f}%", std::floor(100 * *one.share));
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float button_width = text_width(ICON_CLOSE " Stop") + 2 * ImGui::GetStyle().FramePadding.x;
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - button_width;
    const float told = right - text_width(far) - spacing;
    ImGui::AlignTextToFramePadding();
    fitted_text(one.name, told - spacing - ImGui::GetCursorPosX(), text_color());
    ImGui::SameLine(told);
    colored_text(far, faint_color());
    ImGui::SameLine(right);
    const std::string tip = fmt::format("{}{}", one.stop_tip, first ? ". Key Esc." : "");
    if (button(ICON_CLOSE " Stop", ImVec2(button_width, 0), tip)) one.stop(ui, snapshot);
    if (one.share)
        ImGui::ProgressBar(float(std::clamp(*one.share, 0.0, 1.0)), ImVec2(-FLT_MIN, em(0.3f)), "");
}

}  // namespace

std::vector<LongAction> long_actions(const UiState& now, const Snapshot& snapshot) {
    std::vector<LongAction> all;
    if (!snapshot.busy.empty()) {
        const bool known = snapshot.busy_share > 0 || snapshot.measuring_suite || snapshot.ordered;
        all.push_back({snapshot.measuring_suite ? "suite" : "session",
                       snapshot.busy,
                       known ? std::optional(snapshot.busy_share) : std::nullopt,
                       [](UiState& ui, const Snapshot&) { ui.act(action::Cancel{}); },
                       "Stops it; the field stays as it is then"});
    }
    if (const ExampleNews& example = now.example; example.running)
        all.push_back({"example",
                       example.cancelling ? example.example + ": stopping"
                                          : fmt::format("{}: {}", example.example, example.doing),
                       example.share,
                       [](UiState& ui, const Snapshot&) { ui.ask(CancelExample{}); },
                       "Stops the example within about a second; its results so far are kept"});
    if (!now.kernel.doing.empty() && !now.panel.kernel.file.empty())
        all.push_back({"kernel",
                       "your kernel: " + now.kernel.doing,
                       std::nullopt,
                       [](UiState& ui, const Snapshot&) { ui.panel.kernel.file.clear(); },
                       "Stops the check; the file is no longer watched"});
    if (snapshot.fit && snapshot.fit->running)
        all.push_back({"fit",
                       fmt::format("fitting: {} evaluations", snapshot.fit->result.evaluations),
                       std::nullopt,
                       [](UiState& ui, const Snapshot&) { ui.act(action::CancelFit{}); },
                       "Stops the fit; its best evaluation stays",
                       false});
    if (snapshot.exporting)
        all.push_back({"export",
                       snapshot.export_doing,
                       snapshot.export_share,
                       [](UiState& ui, const Snapshot&) { ui.act(action::CancelExport{}); },
                       "Stops after the current file; written files are kept"});
    // Only the status line shows recordings, which have no end to wait for.
    if (!snapshot.recording.empty() || now.canvas_film.on())
        all.push_back({"recording",
                       "recording",
                       std::nullopt,
                       [](UiState& ui, const Snapshot&) { stop_recording(ui); },
                       "",
                       false});
    return all;
}

void draw_long_actions(UiState& ui, const Snapshot& snapshot) {
    std::vector<LongAction> shown = long_actions(ui, snapshot);
    const std::string_view first = shown.empty() ? "" : shown.front().key;
    std::erase_if(shown, [](const LongAction& one) { return !one.on_canvas; });
    auto& since = ui.panel.of<LongActions>().since;
    if (shown.empty()) since.reset();
    if (!since && !shown.empty()) since = ImGui::GetTime();
    // The window would cover a popup. The export popup has its own progress bar, and the status line shows
    // the actions, too.
    const bool in_popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    if (shown.empty() || in_popup || ImGui::GetTime() < *since + kShownFrom) return;
    const Area canvas = area_of(ui.canvas);
    ImGui::SetNextWindowPos(
        ImVec2(canvas.at(0.5f, 0).x, canvas.y + em(2.2f)), ImGuiCond_Always, ImVec2(0.5f, 0));
    ImGui::SetNextWindowSize(ImVec2(std::min(em(32), canvas.width), 0));
    ImGui::Begin("##long", nullptr, kPlainWindow | ImGuiWindowFlags_NoNav);
    for (const LongAction& one : shown) {
        const IdScope scope(one.key);
        draw_one(one, one.key == first, ui, snapshot);
    }
    ImGui::End();
}

void stop_long_action(UiState& ui, const Snapshot& snapshot) {
    const std::vector<LongAction> all = long_actions(ui, snapshot);
    if (!all.empty()) all.front().stop(ui, snapshot);
}

}  // namespace stencil
