
#include <algorithm>
#include <string>

#include "app/window/format.h"
#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "sim/model/equations.h"
#include "sim/problem/units.h"

namespace stencil {

std::string model_title(const Model& model) {
    if (!model.equations->title.empty()) return model.equations->title;
    if (model.name != "typed") return model.name;
    return model.text.substr(0, model.text.find('\n'));
}

namespace {

// Returns the time of the shown field, or its step for tiles and a run without time.
std::string moment(const UiState& ui, const Snapshot& snapshot) {
    const long long step = snapshot.frame ? snapshot.frame->step : snapshot.step;
    const std::string time = watched_tiles(ui, snapshot) ? "" : time_text(snapshot.spec, step);
    return time.empty() ? "step " + format_count(step) : "t = " + time;
}

}  // namespace

float presenter_height() {
    return large_font()->FontSize + 2 * ImGui::GetStyle().FramePadding.y;
}

void draw_presenter(UiState& ui, const Snapshot& snapshot) {
    const float height = presenter_height();
    const bool goes_on = snapshot.running || snapshot.ordered;
    const std::string tip = with_keys(shortcut_of(toggle_running)->what, toggle_running);
    const std::string& why_not = snapshot.why_not_run;
    ImGui::PushFont(large_font());
    ImGui::BeginDisabled(!why_not.empty());
    const bool clicked =
        ImGui::Button(goes_on ? ICON_PAUSE "###run" : ICON_PLAY "###run", ImVec2(1.6f * height, height));
    ImGui::EndDisabled();
    ImGui::PopFont();
    tooltip(why_not.empty() ? tip : why_not);
    if (clicked) toggle_running(ui, snapshot);
    ImGui::SameLine(0, em(1));
    ImGui::PushFont(large_font());
    const std::string when = moment(ui, snapshot);
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - text_width(when);
    const float room = right - em(0.5f) - ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    colored_text(fitted(model_title(*snapshot.now.model), room), text_color());
    ImGui::SameLine(std::max(right, ImGui::GetCursorPosX()));
    colored_text(when, faint_color());
    ImGui::PopFont();
}

}  // namespace stencil
