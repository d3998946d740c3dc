#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/step/stages.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void draw_choice(UiState& ui, const Model& model) {
    if (button_row("Gallery", "Choose a ready run or a model by its picture"))
        ui.gallery.open = !ui.gallery.open;
    row("Model", "Starts a new run with this model; Undo returns to the old one\n--model NAME");
    combo(
        "##model",
        model.name.c_str(),
        model.help,
        [&] {
            for (const Preset& preset : presets())
                if (choice(preset.name.data(), preset.name == model.name, "")) begin_model(ui, preset.name);
        },
        ImGuiComboFlags_HeightLarge);
}

// --- Time and space discretisation

void draw_steps(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    draw_time_step(ui, snapshot);
    const equation::Integrator scheme = now.integrator;
    const std::string current = name_of(scheme);
    combo_row("Integrator", current.c_str(), "Time integrator; the field is kept\n--integrator NAME", [&] {
        for (const equation::IntegratorRow& integrator : equation::integrators())
            if (choice(integrator.name.c_str(), &integrator == scheme.row, integrator.help))
                change(ui, setting_name::integrator, integrator.name);
    });
    if (now.model->equations->has_global_values()) {
        const FieldRow every{
            ui,
            "Global values",
            "Steps that share values of the whole field, such as mean(u); 1: every step takes "
            "its own\n--global-every N"};
        if (const auto steps = whole_row(every, std::max(now.global_every, 1LL), 1, kMaxSteps))
            change(ui, setting_name::global_every, std::to_string(*steps));
    }
    if (scheme.stages == 0) return;
    const FieldRow field{
        ui,
        "Stages",
        "Evaluations per step: s of them reach (s^2 + s - 2)/4 of Euler's limit\n--integrator rkl2:S"};
    if (const auto stages = whole_row(field, scheme.stages, equation::kLeastStages, equation::kMostStages))
        change(ui, setting_name::integrator, fmt::format("{}:{}", scheme->name, *stages));
}

// --- Observable

void show(UiState& ui, std::string_view formula) {
    if (shows_components(ui)) show_pane(ui, Pane::now);
    change(ui, setting_name::show, formula);
}

void draw_shown(UiState& ui, const RunSpec& now) {
    constexpr std::string_view kTip =
        "The component or definition that is shown, painted and measured\n--show NAME";
    const bool together = shows_components(ui);
    combo_row("Quantity", together ? kComponents.title.data() : now.shown().c_str(), kTip, [&] {
        const auto offer = [&](const auto& rows) {
            for (const auto& row : rows)
                if (choice(row.name.c_str(), !together && row.name == now.shown(), "")) show(ui, row.name);
        };
        offer(now.model->equations->components);
        offer(now.model->equations->definitions);
        const auto components = component_panes(*now.model);
        if (components.size() > 1 && choice(kComponents.title.data(), together, kComponents.help))
            ui.panes = components;
    });
    formula_row(
        {ui,
         "Formula",
         "A formula in the model's variables, shown on the canvas and used for all measurements, e.g. "
         "u^2 + v^2\n--show FORMULA"},
        now.shown(),
        now.model->text,
        [&](const std::string& formula) { show(ui, formula); });
}

}  // namespace

void draw_equation(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const Model& model = *now.model;
    draw_choice(ui, model);
    const equation::Equations& equations = *model.equations;
    if (!equations.about.empty()) paragraph(equations.about, text_color());
    if (!equations.source.empty()) paragraph(equations.source, faint_color());
    draw_editor(ui, snapshot);
    if (!model.parameters.empty())
        subtitle("Parameters",
                 "Right-click a slider to set its range, to run all of it at once, or to spread it over the "
                 "field");
    draw_parameters(ui, snapshot);
    subtitle("Discretisation", "Time step and cell size");
    if (std::ranges::any_of(equations.components, &equation::Evolving::rate)) draw_steps(ui, snapshot);
    const FieldRow cells{ui, "dx", "Cell size; the values of the cells are kept\n--dx H"};
    if (const auto dx = number_row(cells, now.dx, kAboveZero)) change(ui, setting_name::dx, format_real(*dx));
    draw_units(ui, snapshot);
    if (now.is_general()) {
        subtitle("Observable", "The quantity that is shown and measured");
        draw_shown(ui, now);
    }
    draw_dispersion(ui, snapshot);
}

}  // namespace stencil
