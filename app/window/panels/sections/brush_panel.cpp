#include <algorithm>
#include <iterator>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

struct ShapeChoice {
    const char* label;
    BrushShape shape;
    bool straight;
    std::string_view tip;
};

constexpr ShapeChoice kShapes[] = {
    {"Round", BrushShape::round, false, "A disc that follows the mouse\n--at STEP:paint=1,10,replace,X,Y"},
    {"Square",
     BrushShape::square,
     false,
     "A square that follows the mouse\n--at STEP:paint=1,10,replace-square,X,Y"},
    {"Line",
     BrushShape::round,
     true,
     "A straight line from press to release; Shift: horizontal, vertical or diagonal\n--at "
     "STEP:paint=1,10,replace,X0,Y0,X1,Y1"},
    {"Rectangle",
     BrushShape::rectangle,
     false,
     "All cells between two corners\n--at STEP:paint=1,10,replace-rectangle,X0,Y0,X1,Y1"},
    {"Fill",
     BrushShape::fill,
     false,
     "The clicked cell and all connected cells of similar value\n--at "
     "STEP:paint=1,TOLERANCE,replace-fill,X,Y"}};

void draw_shape(UiState& ui) {
    const auto is_set = [&](const ShapeChoice& row) {
        return row.shape == ui.preferences.brush.shape && row.straight == ui.preferences.straight;
    };
    const auto found = std::ranges::find_if(kShapes, is_set);
    const ShapeChoice& current = found == std::end(kShapes) ? kShapes[0] : *found;
    combo_row("Shape", current.label, current.tip, [&] {
        for (const ShapeChoice& shape : kShapes) {
            if (!choice(shape.label, is_set(shape), shape.tip)) continue;
            ui.preferences.brush.shape = shape.shape;
            ui.preferences.straight = shape.straight;
        }
    });
}

void draw_value(UiState& ui) {
    const FieldRow field{ui, "Value", "The value to paint or to add", em(3.4f), !ui.erases};
    if (const auto value = number_row(field, ui.preferences.brush.value)) ui.preferences.brush.value = *value;
    same_line();
    if (button("Pick", button_size(1), "The next click on the field picks its value. Key I."))
        ui.tool = Tool::pick;
}

void draw_radius(UiState& ui) {
    BrushState& state = ui.panel.brush;
    constexpr std::string_view kTip = "Brush radius; also [ and ], or Ctrl+wheel on the canvas";
    row("Radius", kTip, em(3.4f));
    const double most = state.side > 0 ? state.side : kMaxBrushRadius;
    const double unit = state.percent ? most / 100 : 1;  // in cells
    SliderLook look{kMinBrushRadius / unit,
                    std::clamp(most, ui.preferences.brush.radius, kMaxBrushRadius) / unit,
                    state.percent ? "{:.2f}" : "{:.1f}",
                    true};
    look.typed = {kMinBrushRadius / unit, kMaxBrushRadius / unit};
    if (const auto edit = live_slider("##radius", ui, ui.preferences.brush.radius / unit, look, kTip))
        ui.preferences.brush.radius = edit->value * unit;
    same_line();
    if (button(state.percent ? "%###unit" : "cells###unit",
               button_size(1),
               "In cells, or in percent of the field's longer side"))
        state.percent = !state.percent;
}

}  // namespace

void draw_brush(UiState& ui, const Snapshot&) {
    Brush& brush = ui.preferences.brush;
    ImGui::BeginDisabled(ui.tool != Tool::paint && ui.tool != Tool::pick);
    draw_shape(ui);
    draw_value(ui);
    const bool box = brush.shape == BrushShape::rectangle, fill = brush.shape == BrushShape::fill;
    ImGui::BeginDisabled(box);
    const FieldRow tolerance{ui, "Tolerance", "Largest difference from the clicked cell's value"};
    if (!fill)
        draw_radius(ui);
    else if (const auto typed = number_row(tolerance, ui.preferences.fill_tolerance, {0.0}))
        ui.preferences.fill_tolerance = *typed;
    ImGui::EndDisabled();
    static constexpr Segment kEffects[] = {{"Replace", "Sets the field to the value; a soft edge blends"},
                                           {"Add", "Adds the value to the field, once per stroke"},
                                           {"Erase", "Sets the field to 0, like the right button. Key E."}};
    if (const auto clicked = segmented_row("Effect",
                                           "What a stroke does to a cell",
                                           kEffects,
                                           ui.erases   ? 2
                                           : brush.add ? 1
                                                       : 0)) {
        ui.erases = *clicked == 2;
        if (!ui.erases) brush.add = *clicked == 1;
    }
    static constexpr Segment kEdges[] = {{"Hard", "Full effect up to the edge"},
                                         {"Soft", "The effect falls off smoothly towards the edge"}};
    row("Edge", "Edge of the brush");
    ImGui::BeginDisabled(box || fill);
    if (const auto clicked = segmented("edge", kEdges, brush.soft && !box && !fill ? 1 : 0))
        brush.soft = *clicked == 1;
    ImGui::EndDisabled();
    ImGui::EndDisabled();
}

}  // namespace stencil
