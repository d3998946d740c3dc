#include "app/window/other_runs.h"
#include "app/window/panels/panels.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/typed_number.h"
#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/spread.h"
#include "sim/problem/units.h"
#include "sim/run/stability.h"
#include "sim/sweep/sweep_spec.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr int kSweptValues = 16;

SliderLook look_of(const ModelParameter& parameter, const SliderRange& draft, double value) {
    SliderLook look{draft.low.value_or(parameter.low), draft.high.value_or(parameter.high), "{:.4g}"};
    look.least = std::min(look.least, value);
    look.most = std::max(look.most, value);
    if (!(look.least < look.most)) look.most = look.least + std::max(1.0, std::abs(look.least));
    return look;
}

void draw_range_menu(UiState& ui,
                     const Snapshot& snapshot,
                     const ModelParameter& parameter,
                     SliderRange& draft) {
    if (!ImGui::BeginPopup("range")) return;
    ImGui::TextUnformatted(parameter.name.c_str());
    const double low = draft.low.value_or(parameter.low), high = draft.high.value_or(parameter.high);
    constexpr double kMost = std::numeric_limits<double>::max();
    const auto take_end = [&](const char* label,
                              const char* id,
                              std::optional<double>& end,
                              double present,
                              NumberRange range,
                              const char* tip) {
        row(label, tip);
        ImGui::SetNextItemWidth(em(7));
        if (const auto typed = number_input(id, ui, present, range, tip)) end = typed;
    };
    take_end(
        "From", "##low", draft.low, low, {-kMost, std::nextafter(high, -kMost)}, "Left end of the slider");
    take_end(
        "To", "##high", draft.high, high, {std::nextafter(low, kMost), kMost}, "Right end of the slider");
    if (ImGui::MenuItem("Default range")) {
        draft = {};
        draft_of(ui, "##low") = draft_of(ui, "##high") = {};
    }
    if (ImGui::MenuItem(fmt::format("Reset to {:.6g}", parameter.value).c_str()))
        change(ui, parameter.name, format_real(parameter.value));
    ImGui::Separator();
    const RunSpec& now = snapshot.now;
    for (const std::size_t axis : {0, 1}) {
        if (ImGui::MenuItem(fmt::format("Sweep over {}", "xy"[axis]).c_str()))
            sweep_over(ui,
                       snapshot,
                       axis,
                       parse_vary(fmt::format("{}={}:{}:{}", parameter.name, low, high, kSweptValues)));
        tooltip(
            "Runs the slider's whole range at once, each value as a tile of a picture\n--vary "
            "NAME=FROM:TO:COUNT");
    }
    for (const std::size_t axis : {0, 1}) {
        if (now.flat_axis() == axis) continue;
        if (ImGui::MenuItem(fmt::format("Spread over {}", "xy"[axis]).c_str()))
            change(ui, setting_name::equation, spread_text(now, parameter.name, axis, {low, high}));
        tooltip("Varies the parameter in space over its slider's range, across this one field");
    }
    ImGui::Separator();
    const auto& run_b = snapshot.beside.run_b;
    if (!run_b || run_b->parameter != parameter.name) {
        if (ImGui::MenuItem("Run B")) show_run_b(ui, snapshot, parameter.name, now.parameter(parameter.name));
        tooltip(
            "A second run beside this one, in which only this parameter has another value: a slider of its "
            "own");
    } else if (ImGui::MenuItem("Close run B")) {
        ui.act(action::ShowRunB{});
    }
    ImGui::EndPopup();
}

// The slider of run B's value, below that of the run's.
void draw_run_b(UiState& ui,
                const Snapshot& snapshot,
                const ModelParameter& parameter,
                const SliderRange& draft) {
    const auto& run_b = snapshot.beside.run_b;
    const auto value = run_b ? read_real(run_b->values.back().value) : std::nullopt;
    if (!value || run_b->parameter != parameter.name) return;
    constexpr std::string_view kTip = "The value in run B, from the present step on";
    row(fmt::format("{} (run B)", parameter.name).c_str(), kTip);
    if (const auto edit = live_slider("##run b", ui, *value, look_of(parameter, draft, *value), kTip))
        show_run_b(ui, snapshot, parameter.name, edit->value, edit->continuing);
}

void draw_parameter(UiState& ui, const Snapshot& snapshot, const ModelParameter& parameter, double value) {
    const std::string option = fmt::format("--set {}={}", parameter.name, format_real(value));
    const std::string unit = parameter.unit.empty() ? "" : fmt::format(" in {}", parameter.unit);
    const IdScope scope(parameter.name.c_str());
    row(parameter.name.c_str(),
        fmt::format("{}{}, {:.6g} in the text. Takes effect immediately; the run continues.\n{}",
                    parameter.name,
                    unit,
                    parameter.value,
                    option));
    SliderRange& draft = ui.panel.equation.ranges[parameter.name];
    const ImVec2 least = ImGui::GetCursorScreenPos();
    const ImVec2 most(least.x + ImGui::CalcItemWidth(), least.y + ImGui::GetFrameHeight());
    const auto edit = live_slider(
        "##value",
        ui,
        value,
        look_of(parameter, draft, value),
        "Drag, or click to type a number; right-click for its range and for runs over it\n" + option);
    if (!ui.slider_drawn) mark(ui, TourSpot::coefficient);  // the tour points at the first visible slider
    ui.slider_drawn |= ImGui::IsItemVisible();
    if (edit) change(ui, parameter.name, format_real(edit->value), edit->continuing);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(least, most) &&
        ImGui::IsMouseClicked(ImGuiMouseButton_Right))
        ImGui::OpenPopup("range");
    draw_range_menu(ui, snapshot, parameter, draft);
    draw_run_b(ui, snapshot, parameter, draft);
}

// Always takes two lines, so that nothing below moves.
void draw_limit(const Snapshot& snapshot) {
    const auto& found = snapshot.step_limit;
    const double dt = snapshot.now.time_step();
    std::string text = "Available after the first step", term, tip;
    ImVec4 color = faint_color();
    if (found && dt > 0) {
        const auto& limit = found->limit;
        const StepVerdict told = verdict(dt, limit);
        tip = stability_text(dt, limit) +
              ". From a linearisation at the field's present values, for all wavelengths.";
        text = !limit.known()         ? "Unknown: the field is not finite"
               : std::isinf(limit.dt) ? "No stability limit"
               : limit.dt > 0         ? limit_share(dt, limit.dt)
                                      : "Waves grow in any step";
        color = !limit.known()                    ? error_color()
                : std::isinf(limit.dt)            ? good_color()
                : told == StepVerdict::unstable   ? error_color()
                : told == StepVerdict::near_limit ? warning_color()
                                                  : good_color();
        if (!limit.term.empty()) term = fmt::format("set by {} of {}", limit.term, limit.component);
    }
    fitted_text(text, ImGui::GetContentRegionAvail().x, color, tip);
    row("", "");
    fitted_text(term, ImGui::GetContentRegionAvail().x, faint_color(), tip);
}

void draw_unit(UiState& ui, const char* label, const char* setting, const Unit& unit, std::string_view what) {
    const std::string tip = fmt::format(
        "Physical value of {}, with its unit, for figures, tables and times. The computation does not "
        "change.\n--{} 0.01m",
        what,
        setting);
    text_row({ui, label, tip}, to_string(unit), [&](const std::string& text) {
        change(ui, setting, to_string(read_unit(text, setting)));
    });
}

// Typing a time goes to the nearest step.
void draw_time(UiState& ui, const Snapshot& snapshot) {
    const auto time = time_at(snapshot.spec, snapshot.step);
    if (!time || watched_tiles(ui, snapshot)) return;  // tiles may have a dt each
    const std::string& unit = snapshot.now.unit_time.name;
    const FieldRow field{ui, "t", "Present time; enter another one to jump there", text_width(unit)};
    const double dt = snapshot.now.time_step() * snapshot.now.unit_time.size;
    const auto wished = number_row(field, *time, {0, dt * double(kMaxSteps)});
    if (wished && dt > 0)
        ui.act(action::Jump{std::max(0LL, snapshot.step + std::llround((*wished - *time) / dt))});
    same_line();
    colored_text(unit, faint_color());
}

}  // namespace

void draw_parameters(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        draw_parameter(ui, snapshot, now.model->parameters[i], now.parameters[i]);
}

void draw_time_step(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    if (const auto dt =
            number_row({ui, "dt", "Time per step; the run continues\n--dt T"}, now.time_step(), kAboveZero))
        change(ui, setting_name::dt, format_real(*dt));
    row("Stability", "The time step relative to the stability limit");
    draw_limit(snapshot);
    const bool unlimited = !snapshot.step_limit || !(snapshot.step_limit->limit.dt > 0) ||
                           std::isinf(snapshot.step_limit->limit.dt);
    if (button_row("Use 0.8 of the limit",
                   "Sets dt to 0.8 of the largest stable step\n--dt 0.8limit",
                   unlimited ? "There is no stability limit" : ""))
        change(ui, setting_name::dt, "0.8limit");
    const std::string fixed = format_real(now.time_step());
    bool follows = std::holds_alternative<FollowLimit>(now.dt);
    if (checkbox_row(
            "Follow the limit",
            &follows,
            fmt::format("Keeps dt at 0.8 of the limit while the field changes: looks every {} steps.\n"
                        "--dt follow:0.8limit",
                        kFollowEvery)))
        change(ui, setting_name::dt, follows ? "follow:0.8limit" : fixed);
    const auto* by_tolerance = std::get_if<ByTolerance>(&now.dt);
    bool controls = by_tolerance != nullptr;
    if ((controls || now.integrator->error_order > 0) &&
        checkbox_row(
            "Control the error",
            &controls,
            "Chooses dt so that the estimated error of each step stays below the tolerance\n--tolerance E"))
        change(ui, setting_name::dt, controls ? "tolerance:1e-4" : fixed);
    if (by_tolerance) {
        const FieldRow field{ui, "Tolerance", "Of the error of a step, relative to 1 + |u|\n--tolerance E"};
        if (const auto tolerance = number_row(field, by_tolerance->tolerance, kAboveZero))
            change(ui, setting_name::dt, to_string(ByTolerance{*tolerance, now.time_step()}));
    }
    flag_row(ui,
             "Allow unstable",
             "allow-unstable",
             now.allow_unstable,
             "Lets dt exceed the limit. The run pauses if the field overflows.\n--allow-unstable");
}

void draw_units(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    if (!unfolded("Physical units", "Physical lengths, times, values and diffusivity")) return;
    draw_unit(ui, "Length 1", setting_name::unit_length, now.unit_length, "a length of 1");
    draw_unit(ui, "Time 1", setting_name::unit_time, now.unit_time, "a time of 1");
    if (now.model->diffusivity) {
        const auto& [length, time] = std::tie(now.unit_length, now.unit_time);
        const double d = now.model->diffusivity(now.parameters) * length.size * length.size / time.size;
        row("D", "The diffusivity in these units");
        colored_text(fmt::format("{:.6g} {}\xc2\xb2/{}",
                                 d,
                                 length.given() ? length.name : "length",
                                 time.given() ? time.name : "time"),
                     faint_color());
    }
    constexpr std::string_view kTip =
        "Unit of the values that are shown, beside their colours\n--unit-value mol/L";
    text_row({ui, "Value", kTip}, now.value_unit(now.shown()), [&](const std::string& text) {
        change(ui, setting_name::unit_value, read_unit_name(text, "unit-value"));
    });
    draw_time(ui, snapshot);
}

}  // namespace stencil
