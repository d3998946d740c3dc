#include "app/window/icons.h"
#include "app/window/panels/commands.h"
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

void draw_value(Brush& brush) {
    constexpr std::string_view kTip = "What the brush writes into the field, or adds to it";
    row("Value", kTip);
    ImGui::InputDouble("##value", &brush.value, 0, 0, "%.6g");
    tooltip(kTip);
}

void draw_radius(Brush& brush) {
    constexpr std::string_view kTip = "Of the brush, in cells. Also [ and ], and Ctrl+wheel on the canvas.";
    row("Radius", kTip);
    ImGui::SliderScalar("##radius",
                        ImGuiDataType_Double,
                        &brush.radius,
                        &kMinBrushRadius,
                        &kMaxBrushRadius,
                        "%.1f cells",
                        ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    tooltip(kTip);
}

}  // namespace

void draw_brush(UiState& ui, const Snapshot&) {
    Brush& brush = ui.brush;
    draw_tool(ui);
    ImGui::BeginDisabled(ui.tool != Tool::paint);
    draw_value(brush);
    draw_radius(brush);
    row("Effect", "What a stroke does to a cell that it reaches");
    static constexpr Segment kEffects[] = {
        {"Replace", "Sets the field to the value; where the brush is soft, moves it part of the way"},
        {"Add", "Adds the value to the field, once per stroke"}};
    if (const auto clicked = segmented("effect", kEffects, brush.add ? 1 : 0)) brush.add = *clicked == 1;
    row("Rim", "How the brush ends");
    static constexpr Segment kRims[] = {{"Hard", "The whole effect up to the rim"},
                                        {"Soft", "The effect falls off smoothly towards the rim"}};
    if (const auto clicked = segmented("rim", kRims, brush.soft ? 1 : 0)) brush.soft = *clicked == 1;
    ImGui::EndDisabled();
}

}  // namespace stencil
