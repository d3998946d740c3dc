#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <limits>

#include "app/window/panels/commands.h"
#include "app/window/panels/equation/parameter_rows.h"
#include "app/window/panels/widgets/number_input.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/run/units.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void draw_unit(UiState& ui,
               const char* label,
               const char* setting,
               const Unit& unit,
               NumberDraft& draft,
               std::string_view what) {
    const std::string option = fmt::format("--{}", setting);
    const std::string tip = fmt::format(
        "What {} is in the world: a number with its unit. For figures, tables and the time; nothing that is "
        "computed changes.\n{} 0.01m",
        what,
        option);
    ImGui::PushID(setting);
    row(label, tip);
    if (text_field("##unit", draft, to_string(unit), tip)) {
        draft.wrong.clear();
        try {
            change(ui, setting, to_string(read_unit(draft.text, option)));
        } catch (const InputError& error) {
            draft.wrong = error.what();
        }
    }
    ImGui::PopID();
}

// Returns for example "m^2/s".
std::string unit_of_diffusivity(const RunSpec& now) {
    const std::string length = now.unit_length.given() ? now.unit_length.name : "cell";
    return fmt::format("{}\xc2\xb2/{}", length, now.unit_time.given() ? now.unit_time.name : "step");
}

void draw_diffusivity(UiState& ui, const RunSpec& now) {
    const std::string unit = unit_of_diffusivity(now);
    constexpr std::string_view kTip =
        "The diffusivity: coefficient = D dt / dx^2, so that either changes with the other";
    row("D", kTip, text_width(unit) + ImGui::GetStyle().ItemInnerSpacing.x);
    NumberRange range{std::numeric_limits<double>::min()};
    if (const auto bound = now.stability(); bound && !now.allow_unstable)
        range.most = diffusivity(now) / now.parameter("coefficient") * bound->largest;
    range.above = "is above the stable limit: take a smaller dt or larger cells";
    if (const auto d = number_input("##D", ui.panel.equation.diffusivity, diffusivity(now), range, kTip))
        change(ui, "coefficient", format_real(coefficient_of(now, *d)));
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    colored_text(unit, faint_color());
}

// Typing a time goes to the nearest step.
void draw_time(UiState& ui, const Snapshot& snapshot) {
    const auto time = time_at(snapshot.spec, snapshot.step);
    if (!time) return;
    const std::string& unit = snapshot.now.unit_time.name;
    constexpr std::string_view kTip = "The time now; another one jumps to its step";
    row("t", kTip, text_width(unit) + ImGui::GetStyle().ItemInnerSpacing.x);
    const double dt = snapshot.now.time_step() * snapshot.now.unit_time.size;
    const auto wished = number_input("##t", ui.panel.equation.time, *time, {0, dt * double(kMaxSteps)}, kTip);
    if (wished && dt > 0)
        ui.act(action::Jump{std::max(0LL, snapshot.step + std::llround((*wished - *time) / dt))});
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    colored_text(unit, faint_color());
}

}  // namespace

void draw_units(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const bool open = ImGui::TreeNodeEx("Physical units", ImGuiTreeNodeFlags_NoTreePushOnOpen);
    tooltip("Lengths, times and the diffusivity in the units of the world");
    if (!open) return;
    const bool typed = !now.model->built_in;
    EquationState& state = ui.panel.equation;
    draw_unit(ui,
              typed ? "Length 1" : "dx",
              "unit-length",
              now.unit_length,
              state.unit_length,
              typed ? "a length of 1" : "the edge of a cell");
    draw_unit(ui,
              typed ? "Time 1" : "dt",
              "unit-time",
              now.unit_time,
              state.unit_time,
              typed ? "a time of 1" : "the time of a step");
    if (!typed) draw_diffusivity(ui, now);
    draw_time(ui, snapshot);
}

}  // namespace stencil
