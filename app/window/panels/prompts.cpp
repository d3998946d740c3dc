#include "app/window/panels/prompts.h"

#include <algorithm>

#include "app/window/icons.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/tour/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/run/settings.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

bool has_painted(const UiState& ui) {
    return std::ranges::any_of(
        ui.actions, [](const Action& action) { return std::holds_alternative<action::Paint>(action); });
}

bool has_pulled(const UiState& ui) {
    return std::ranges::any_of(ui.actions, [](const Action& action) {
        const auto* change = std::get_if<action::Change>(&action);
        return change && change->setting != "boundary" && kind_of(change->setting) == SettingKind::parameter;
    });
}

constexpr Prompt kPrompts[] = {
    {"paint", ICON_BRUSH "  Drag on the field to paint", has_painted},
    {"slider", ICON_LEFT "  Pull this slider: the field follows at once", has_pulled},
    {"three-up", ICON_THREE "  Press 3: start, now and Laplacian side by side", is_three_up},
};

bool points_at_slider(const Prompt& prompt) {
    return prompt.done == has_pulled;
}

const Prompt* prompt_left(const UiState& ui) {
    const auto left = std::ranges::find_if(kPrompts, [&](const Prompt& prompt) {
        return !contains(ui.preferences.prompts_done, prompt.name) &&
               (ui.slider_y || !points_at_slider(prompt));
    });
    return left == std::end(kPrompts) ? nullptr : left;
}

}  // namespace

std::span<const Prompt> prompts() {
    return kPrompts;
}

void follow_prompts(UiState& ui) {
    std::vector<std::string>& done = ui.preferences.prompts_done;
    for (const Prompt& prompt : kPrompts)
        if (!contains(done, prompt.name) && prompt.done(ui)) done.emplace_back(prompt.name);
}

void draw_prompt(UiState& ui) {
    const Prompt* prompt = prompt_left(ui);
    const bool covered = ui.gallery.open || ui.help_open || ui.panel.examples.large || ui.panel.measure.large;
    if (!prompt || covered || in_tour(ui) || ui.canvas.width < em(24) || ui.canvas.height < em(8)) return;
    const ImVec2 pixels = ImGui::GetIO().DisplayFramebufferScale;
    // Over the field, not its colour bar.
    const ScreenRect& at = ui.picture.width > 0 ? ui.picture : ui.canvas;
    const ImVec2 foot(float(at.x + at.width / 2) / pixels.x, float(at.y + at.height) / pixels.y - em(1));
    if (points_at_slider(*prompt))
        ImGui::SetNextWindowPos(
            ImVec2(float(ui.canvas.x) / pixels.x + em(0.4f), *ui.slider_y), 0, ImVec2(0, 0.5f));
    else
        ImGui::SetNextWindowPos(foot, 0, ImVec2(0.5f, 1));
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                        ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoFocusOnAppearing |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (ImGui::Begin("##prompt", nullptr, kFlags)) {
        ImGui::AlignTextToFramePadding();
        colored_text(prompt->text, text_color());
        ImGui::SameLine(0, em(1));
        if (button(ICON_CLOSE, ImVec2(0, 0), "Goes on without it"))
            ui.preferences.prompts_done.emplace_back(prompt->name);
    }
    ImGui::End();
}

}  // namespace stencil
