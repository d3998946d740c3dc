#include <algorithm>

#include "app/window/icons.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/number_input.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets.h"

namespace stencil {
namespace {

void draw_tool(UiState& ui) {
    static constexpr Segment kTools[] = {
        {ICON_BRUSH " Paint", "Left paints the value, right paints 0. Ctrl+wheel changes the radius. Key B."},
        {ICON_PROBE " Probe", "Left pins a probe on a cell, which keeps its value over time. Key P."},
        {ICON_PROFILE " Profile", "Left drags a line; the values along it are drawn under Measure. Key L."}};
    if (const auto clicked = segmented("tool", kTools, int(ui.tool))) ui.tool = Tool(*clicked);
}

void draw_value(Brush& brush, NumberDraft& draft) {
    constexpr std::string_view kTip = "What the brush writes into the field, or adds to it";
    row("Value", kTip);
    if (const auto value = number_input("##value", draft, brush.value, {}, kTip)) brush.value = *value;
}

void draw_radius(Brush& brush, SliderDraft& draft, const RunSpec& now) {
    constexpr std::string_view kTip = "Of the brush, in cells. Also [ and ], and Ctrl+wheel on the canvas.";
    row("Radius", kTip);
    const double most = now.size ? std::max(now.size->nx, now.size->ny) : kMaxBrushRadius;
    SliderLook look{kMinBrushRadius, std::clamp(most, brush.radius, kMaxBrushRadius), "{:.1f} cells", true};
    look.typed = {kMinBrushRadius, kMaxBrushRadius};
    if (const auto edit = live_slider("##radius", draft, brush.radius, look, kTip))
        brush.radius = edit->value;
}

}  // namespace

void draw_brush(UiState& ui, const Snapshot& snapshot) {
    Brush& brush = ui.brush;
    draw_tool(ui);
    ImGui::BeginDisabled(ui.tool != Tool::paint);
    draw_value(brush, ui.panel.brush.value);
    draw_radius(brush, ui.panel.brush.radius, snapshot.now);
    row("Effect", "What a stroke does to a cell that it reaches");
    static constexpr Segment kEffects[] = {
        {"Replace", "Sets the field to the value; where the brush is soft, moves it part of the way"},
        {"Add", "Adds the value to the field, once per stroke"}};
    if (const auto clicked = segmented("effect", kEffects, brush.add ? 1 : 0)) brush.add = *clicked == 1;
    row("Edge", "How the brush ends");
    static constexpr Segment kEdges[] = {{"Hard", "The whole effect up to the edge"},
                                         {"Soft", "The effect falls off smoothly towards the edge"}};
    if (const auto clicked = segmented("edge", kEdges, brush.soft ? 1 : 0)) brush.soft = *clicked == 1;
    ImGui::EndDisabled();
}

}  // namespace stencil
