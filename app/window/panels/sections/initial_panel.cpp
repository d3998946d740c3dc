#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "sim/initial/initial.h"
#include "sim/model/text/typed_number.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr const char* kOwn = "from the text";

std::size_t component_of(const InitialState& state, const RunSpec& now) {
    return std::min(state.component, now.model->components.size() - 1);
}

// Returns the component's initial condition as for --initial, without its name.
std::string start_of(const RunSpec& now, std::size_t component) {
    if (component == 0) return now.initial;
    const auto given = now.initials.find(now.model->components[component].name);
    return given == now.initials.end() ? "" : given->second;
}

// Returns the choice that the run began with; a deleted file still counts as a file.
InitialChoice current_choice(const std::string& start) {
    try {
        return parse_initial(start);
    } catch (const InputError&) {
        return {nullptr, {}, start};
    }
}

void begin_with(UiState& ui, const RunSpec& now, const std::string& what) {
    const std::string& name = now.model->components[component_of(ui.panel.initial, now)].name;
    ui.act(action::Change{setting_name::initial, name + "=" + what});
}

const InitialCondition* find_condition(std::string_view name) {
    const auto all = initial_conditions();
    const auto found = std::ranges::find(all, name, &InitialCondition::name);
    return found == all.end() ? nullptr : &*found;
}

void choose(InitialState& state, const InitialCondition& condition, const InitialChoice& current) {
    state.name = std::string(condition.name);
    ++state.choices;
    state.parameters.clear();
    for (const InitialParameter& parameter : condition.parameters)
        state.parameters[std::string(parameter.name)] = parameter.standard;
    if (current.condition == &condition) state.parameters = current.parameters;
}

// Spells the choice as for --initial: "gaussian:sigma=0.2,x=0.5,y=0.5".
std::string spelled(const InitialState& state) {
    std::string text = state.name;
    char separator = ':';
    for (const auto& [name, value] : state.parameters) {
        text += fmt::format("{}{}={}", separator, name, format_real(value));
        separator = ',';
    }
    return text;
}

void draw_condition(UiState& ui, const RunSpec& now, const InitialChoice& current) {
    InitialState& state = ui.panel.initial;
    constexpr std::string_view kTip = "The field at step 0; Apply restarts the run with it\n--initial NAME";
    const InitialCondition* chosen = find_condition(state.name);
    const std::string tip =
        chosen ? fmt::format("{}\n--initial {}", chosen->help, chosen->name) : std::string(kTip);
    const char* other = !current.file.empty() ? "a file" : !current.formula.empty() ? "a formula" : kOwn;
    combo_row("Condition", chosen ? chosen->name.data() : other, tip, [&] {
        if (choice(kOwn, !chosen && other == kOwn, "u(0) = ... in the text, or 0; restarts the run"))
            begin_with(ui, now, "");
        for (const InitialCondition& condition : initial_conditions())
            if (choice(condition.name.data(), &condition == chosen, condition.help))
                choose(state, condition, current);
    });
}

// A click restarts with the pictured initial condition.
void draw_pictures(UiState& ui, const RunSpec& now, const InitialCondition* current) {
    constexpr int kColumns = 3;
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float side = std::floor((ImGui::GetContentRegionAvail().x - (kColumns - 1) * spacing) / kColumns);
    const auto all = initial_conditions();  // the first rows of the gallery
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % kColumns != 0) ImGui::SameLine(0, spacing);
        const std::string option = fmt::format("Restarts the run with it\n--initial {}", all[i].sample);
        if (gallery_tile(ui, i, {side, &all[i] == current}, option))
            begin_with(ui, now, std::string(all[i].sample));
    }
}

void draw_parameters(UiState& ui, const InitialCondition& condition) {
    InitialState& state = ui.panel.initial;
    const IdScope scope(state.choices);
    for (const InitialParameter& parameter : condition.parameters) {
        const std::string tip = fmt::format("{}; from {} to {}, default {}\n--initial {}:{}=...",
                                            parameter.help,
                                            format_short(parameter.least),
                                            format_short(parameter.most),
                                            format_short(parameter.standard),
                                            condition.name,
                                            parameter.name);
        double& value = state.parameters[std::string(parameter.name)];
        const NumberRange range{parameter.least, parameter.most};
        if (const auto typed = number_row({ui, parameter.name.data(), tip}, value, range)) value = *typed;
    }
}

void draw_seed(UiState& ui, const RunSpec& now) {
    const FieldRow field{
        ui,
        "Seed",
        "Seed of the random numbers: the same seed gives the same field, also headless and in "
        "NumPy\n--seed S",
        em(3.4f)};
    text_row(field, fmt::format("{}", now.seed), [&](const std::string& text) {
        const auto whole = equation::typed_whole(text);
        const std::string seed = whole ? std::to_string(*whole) : text;  // text, as it may exceed 2^63
        parse_seed(seed, "Seed");
        change(ui, setting_name::seed, seed);
    });
    same_line();
    if (button("New", button_size(1), "Draws a new seed and restarts the run"))
        change(ui, setting_name::seed, std::to_string(std::random_device{}()));
}

void draw_apply(UiState& ui, const RunSpec& now, const InitialChoice& current) {
    const InitialState& state = ui.panel.initial;
    // If the run began with a file or formula, no condition is chosen.
    const bool same = state.name.empty() || (current.condition && current.condition->name == state.name &&
                                             current.parameters == state.parameters);
    // The name behind ### keeps the button's identity while its caption changes.
    if (same && button_row("Restart###apply", "Restarts at step 0 with this field")) ui.act(action::Reset{});
    if (!same && button_row("Apply and restart###apply", "Restarts at step 0 with this initial condition"))
        begin_with(ui, now, spelled(state));
}

void open_file(UiState& ui, const Snapshot& snapshot) {
    InitialState& state = ui.panel.initial;
    const std::string path = state.path;
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) {
        state.path_error = fmt::format("{}: no such file", path);
        return;
    }
    state.opened_after = snapshot.messages.empty() ? 1 : snapshot.messages.back().id + 1;
    if (component_of(state, snapshot.now) == 0) return open_path(ui, path);
    remember_path(ui.preferences, path);
    begin_with(ui, snapshot.now, path);
}

// An error about an earlier path does not apply to another one.
void forget_errors(UiState& ui, const Snapshot& snapshot) {
    InitialState& state = ui.panel.initial;
    state.path_error.clear();
    if (state.opened_after == 0) return;
    for (const Message& message : snapshot.messages)
        if (message.id >= state.opened_after && message.level == Message::Level::error)
            ui.act(action::DismissMessage{message.id});
    state.opened_after = 0;
}

void draw_file(UiState& ui, const Snapshot& snapshot) {
    constexpr std::string_view kTip =
        "Starts from an array or table (.npy .npz .csv .txt .h5 .nc .vti) or a picture (.png .jpg .tif); "
        "files can also be dropped on the window\n--initial FILE";
    InitialState& state = ui.panel.initial;
    row("File", kTip, em(3.4f));
    const std::string before = state.path;
    const bool entered = path_input("##path", ui, state.path, PathKind::file, kTip, em(3.4f));
    if (state.path != before) forget_errors(ui, snapshot);
    same_line();
    const bool pressed =
        button("Open", button_size(1), kTip, state.path.empty() ? "Enter a path, or drop a file" : "");
    if ((entered || pressed) && !state.path.empty()) open_file(ui, snapshot);
    const bool wrong = !state.path_error.empty();
    fitted_text(wrong ? state.path_error : "Or drop a file on the window.",
                ImGui::GetContentRegionAvail().x,
                wrong ? error_color() : faint_color());
}

}  // namespace

void draw_initial(UiState& ui, const Snapshot& snapshot) {
    InitialState& state = ui.panel.initial;
    const RunSpec& now = snapshot.now;
    if (const auto names = names_of(now.model->components); names.size() > 1)
        if (const auto chosen = name_row("Component",
                                         names,
                                         names[component_of(state, now)],
                                         "Each component has its own initial condition\n--initial NAME=WHAT"))
            state.component = *chosen;
    const std::size_t component = component_of(state, now);
    const std::string start = start_of(now, component);
    const InitialChoice current = current_choice(start);
    const std::string seen = now.model->components[component].name + "=" + start;
    if (state.seen != seen) {
        state.seen = seen;
        state.name.clear();
        if (current.condition)
            choose(state, *current.condition, current);
        else
            state.path = current.file;
    }
    draw_pictures(ui, now, current.condition);
    draw_condition(ui, now, current);
    const InitialCondition* condition = find_condition(state.name);
    if (condition) draw_parameters(ui, *condition);
    if (condition && condition->random) draw_seed(ui, now);
    draw_apply(ui, now, current);
    formula_row({ui,
                 "Formula",
                 "A formula in x, y and the model's variables, e.g. exp(-((x - Lx/2)^2 + (y - Ly/2)^2)/50); "
                 "restarts the run\n--initial NAME=FORMULA"},
                current.formula,
                now.model->text,
                [&](const std::string& formula) { begin_with(ui, now, formula); });
    subtitle("From a file", "Arrays and pictures");
    draw_file(ui, snapshot);
}

}  // namespace stencil
