#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#if __has_include(<imgui_stdlib.h>)
#include <imgui_stdlib.h>
#else
#include <misc/cpp/imgui_stdlib.h>
#endif

#include <algorithm>
#include <cfloat>
#include <limits>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/model/equations.h"
#include "sim/model/presets.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
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
            for (const auto& built_in : models())
                if (choice(built_in->name.c_str(), built_in->name == model.name, built_in->help))
                    begin_model(ui, built_in->name);
            for (const Preset& preset : presets())
                if (choice(preset.name.data(), preset.name == model.name, "")) begin_model(ui, preset.name);
        },
        ImGuiComboFlags_HeightLarge);
}

void draw_about(const equation::Equations& equations) {
    if (!equations.about.empty()) paragraph(equations.about, text_color());
    if (!equations.source.empty()) paragraph(equations.source, faint_color());
}

// --- Time and space discretisation

bool has_rates(const Model& model) {
    return std::ranges::any_of(model.equations->components, &equation::Evolving::rate);
}

void draw_steps(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    draw_time_step(ui, snapshot);
    const std::string current = now.integrator();
    constexpr std::string_view kTip = "Time integrator; the field is kept\n--stepper NAME";
    row("Integrator", kTip);
    combo("##stepper", current.c_str(), kTip, [&] {
        for (const equation::StepperRow& stepper : equation::steppers())
            if (choice(stepper.name.c_str(), stepper.name == current, stepper.help))
                change(ui, "stepper", stepper.name);
    });
}

void draw_spacing(UiState& ui, const RunSpec& now) {
    constexpr std::string_view kTip = "Cell size; the values of the cells are kept\n--dx H";
    row("dx", kTip);
    const NumberRange above_zero{std::numeric_limits<double>::min()};
    if (const auto dx = number_input("##dx", ui, now.spacing(), above_zero, kTip))
        change(ui, "dx", format_real(*dx));
}

// --- Observable

std::vector<std::string> names_to_show(const equation::Equations& equations) {
    std::vector<std::string> names;
    for (const auto& component : equations.components) names.push_back(component.name);
    for (const auto& definition : equations.definitions) names.push_back(definition.name);
    return names;
}

void show(UiState& ui, std::string_view formula) {
    if (shows_components(ui)) show_pane(ui, Pane::now);
    change(ui, "show", formula);
}

void draw_formula(UiState& ui, const RunSpec& now) {
    constexpr std::string_view kTip =
        "A formula in the model's variables, shown on the canvas and used for all measurements, e.g. u^2 + "
        "v^2\n--show FORMULA";
    row("Formula", kTip);
    if (const auto formula = formula_input("##formula", ui, now.shown(), now.model->text, kTip))
        show(ui, *formula);
}

void draw_shown(UiState& ui, const RunSpec& now) {
    constexpr std::string_view kTip =
        "The component or definition that is shown, painted and measured\n--show NAME";
    const bool together = shows_components(ui);
    row("Show", kTip);
    combo("##show", together ? kComponents.title.data() : now.shown().c_str(), kTip, [&] {
        for (const std::string& name : names_to_show(*now.model->equations))
            if (choice(name.c_str(), !together && name == now.shown(), "")) show(ui, name);
        const auto components = component_panes(*now.model);
        if (components.size() > 1 && choice(kComponents.title.data(), together, kComponents.help))
            ui.panes = components;
    });
    draw_formula(ui, now);
}

constexpr double kQuiet = 0.25;  // seconds
constexpr double kHold = 0.5;
constexpr int kFewestLines = 5, kMostLines = 18;
constexpr float kLinesBelow = 4.4f;  // room for an error, or for a note if there is none

std::string line_of(const std::string& text, std::size_t number) {
    std::size_t begin = 0;
    for (std::size_t line = 1; line < number; ++line) begin = text.find('\n', begin) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
}

int newest_message(const Snapshot& snapshot) {
    return snapshot.messages.empty() ? 0 : snapshot.messages.back().id;
}

// Returns the session's text, or the model's before the session exists.
const std::string& text_of(const Snapshot& snapshot) {
    return snapshot.text.empty() ? snapshot.now.model->text : snapshot.text;
}

// Shows the session's text unless the user is typing. ImGui has its own copy of a focused field's text, which
// would otherwise come back as if typed.
void follow(EquationState& state, const Snapshot& snapshot) {
    const std::string& text = text_of(snapshot);
    const bool busy = state.typed_at >= 0 || state.editing || ImGui::GetTime() < state.hold_until;
    if (busy || text == state.seen) return;
    state.seen = state.text = text;
    state.mistake.reset();
}

void apply(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    state.typed_at = -1;
    state.mistake = find_mistake(state.text);
    if (state.mistake || state.text == text_of(snapshot)) return;
    ui.act(action::Change{"equation", state.text, state.goes_on});
    state.goes_on = true;
    state.messages_before = newest_message(snapshot);
    state.hold_until = ImGui::GetTime() + kHold;
}

// Draws the part of the line around the mistake that fits, with a caret below.
void draw_place(const Mistake& mistake) {
    ImGui::PushFont(monospace_font());
    const std::string number = fmt::format("{}: ", mistake.number);
    const std::size_t room = std::size_t(std::max(8.0f, ImGui::GetContentRegionAvail().x / text_width("0")));
    const std::size_t width = room > number.size() ? room - number.size() : 1;
    const std::size_t column = mistake.column - 1;
    const std::size_t begin = column + 4 < width ? 0 : column + 4 - width;
    const std::string part = begin < mistake.line.size() ? mistake.line.substr(begin, width) : "";
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    colored_text(number + part, text_color());
    colored_text(std::string(number.size() + column - begin, ' ') + "^", error_color());
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void draw_below(const EquationState& state, const Snapshot& snapshot) {
    // Reserve a fixed height to avoid jumps; a long error takes what it needs.
    const float width = ImGui::GetContentRegionAvail().x;
    const float said = state.mistake
                           ? ImGui::CalcTextSize(state.mistake->sentence.c_str(), nullptr, false, width).y +
                                 2 * monospace_font()->FontSize + ImGui::GetStyle().ItemSpacing.y
                           : 0;
    const float height = std::max(kLinesBelow * ImGui::GetTextLineHeight(), said);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0, 0, 0, 0));
    ImGui::BeginChild("below", ImVec2(0, height), false, ImGuiWindowFlags_NoScrollbar);
    const bool refused = state.text != text_of(snapshot) && state.typed_at < 0 &&
                         ImGui::GetTime() >= state.hold_until &&
                         newest_message(snapshot) > state.messages_before &&
                         snapshot.messages.back().level == Message::Level::error;
    if (state.mistake) {
        paragraph(state.mistake->sentence, error_color());
        draw_place(*state.mistake);
    } else if (refused) {
        paragraph("Rejected: " + snapshot.messages.back().text, error_color());
    } else if (const auto& read = snapshot.now.model->equations; read && !read->notes.empty()) {
        paragraph(fmt::format("Note: {}.", fmt::join(read->notes, "; ")), faint_color());
    } else {
        paragraph(
            "Applied as you type, when it is valid. Components that keep their names keep their values; "
            "Reset starts from u(0) = ...",
            faint_color());
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

}  // namespace

void draw_equation(UiState& ui, const Snapshot& snapshot) {
    const RunSpec& now = snapshot.now;
    const Model& model = *now.model;
    draw_choice(ui, model);
    if (!model.built_in) draw_about(*model.equations);
    draw_editor(ui, snapshot);
    if (model.built_in) return;
    if (!model.parameters.empty()) subtitle("Parameters", "Right-click a slider to set its range");
    draw_parameters(ui, now);
    subtitle("Discretisation", "Time step and cell size");
    if (has_rates(model)) draw_steps(ui, snapshot);
    draw_spacing(ui, now);
    draw_units(ui, snapshot);
    if (snapshot.now.is_general()) {
        subtitle("Observable", "The quantity that is shown and measured");
        draw_shown(ui, now);
    }
    draw_dispersion(ui, snapshot);
}

std::optional<Mistake> find_mistake(const std::string& text) {
    try {
        equation::read_equations(text);
        return std::nullopt;
    } catch (const equation::TextError& error) {
        return Mistake{error.sentence(), line_of(text, error.line()), error.line(), error.column()};
    }
}

void draw_editor(UiState& ui, const Snapshot& snapshot) {
    EquationState& state = ui.panel.equation;
    follow(state, snapshot);
    const std::string before = state.text;
    ImGui::PushFont(monospace_font());
    const int lines = int(std::ranges::count(state.text, '\n')) + 2;
    const float height = float(std::clamp(lines, kFewestLines, kMostLines)) * ImGui::GetTextLineHeight() +
                         2 * ImGui::GetStyle().FramePadding.y;
    const bool entered =
        ImGui::InputTextMultiline("##text",
                                  &state.text,
                                  ImVec2(-FLT_MIN, height),
                                  ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopFont();
    mark(ui, TourSpot::equation);
    if (ImGui::IsItemActivated()) state.goes_on = false;
    state.editing = ImGui::IsItemActive();
    if (state.text != before) state.typed_at = ImGui::GetTime();
    if (entered || (state.typed_at >= 0 && ImGui::GetTime() >= state.typed_at + kQuiet)) apply(ui, snapshot);
    draw_below(state, snapshot);
}

}  // namespace stencil
