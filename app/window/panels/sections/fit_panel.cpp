#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/files/field_file.h"
#include "sim/files/table.h"
#include "sim/import/model_file.h"
#include "sim/model/text/typed_number.h"
#include "sim/problem/units.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

struct FitState {
    std::string path;  ///< of the next target, as typed
    bool takes_drops = true;
    int drawn_in = -10;  ///< ImGui's number of the newest frame with the section
};

// The words of the plan that was sent last, which the snapshot may not have yet.
fitting::FitWords planned(const UiState& ui, const Snapshot& snapshot) {
    for (auto action = ui.actions.rbegin(); action != ui.actions.rend(); ++action)
        if (const auto* plan = std::get_if<action::PlanFit>(&*action)) return plan->words;
    return snapshot.beside.fit;
}

template <class F>
void plan(UiState& ui, const Snapshot& snapshot, F&& edit) {
    fitting::FitWords words = planned(ui, snapshot);
    edit(words);
    ui.act(action::PlanFit{std::move(words)});
}

void draw_targets(UiState& ui, const Snapshot& snapshot) {
    constexpr std::string_view kTip =
        "[FORMULA=]FILE[@TIME]: values that the run should have. An array or a picture at a time, or a table "
        "with a column t or step; cleared: none\n--target [FORMULA=]FILE[@TIME]";
    const std::vector<std::string>& targets = snapshot.beside.fit.targets;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const IdScope scope{int(i)};
        text_row({ui, targets.size() > 1 ? fmt::format("Target {}", i + 1).c_str() : "Target", kTip},
                 targets[i],
                 [&](const std::string& text) {
                     plan(ui, snapshot, [&](fitting::FitWords& words) {
                         if (text.empty())
                             words.targets.erase(words.targets.begin() + std::ptrdiff_t(i));
                         else
                             words.targets[i] = text;
                     });
                 });
    }
    FitState& state = ui.panel.of<FitState>();
    row(targets.empty() ? "Target" : "And", kTip, em(3.4f));
    const bool entered = path_input("##path", ui, state.path, PathKind::file, kTip, em(3.4f));
    same_line();
    const bool pressed = button("Add", button_size(1), kTip, state.path.empty() ? "Enter a path" : "");
    if ((entered || pressed) && !state.path.empty())
        add_fit_target(ui, snapshot, std::exchange(state.path, {}));
    checkbox_row("Takes drops",
                 &state.takes_drops,
                 "While this section is visible, arrays, pictures and tables that are dropped on the window "
                 "become targets; otherwise the run starts from them");
    text_row({ui,
              "Noise",
              "Standard deviation of the targets' values: one number, or one for each target. Empty: "
              "estimated from the residuals\n--noise S[,S...]"},
             fmt::format("{}", fmt::join(snapshot.beside.fit.noise, ",")),
             [&](const std::string& text) {
                 std::vector<double> noise;
                 for (const std::string& word : text.empty() ? std::vector<std::string>() : split(text, ','))
                     noise.push_back(parse_real(word, "noise"));
                 plan(ui, snapshot, [&](fitting::FitWords& words) { words.noise = noise; });
             });
}

// Where the words speak of a parameter; the end where they do not.
std::vector<std::string>::iterator find_free(std::vector<std::string>& parameters, const std::string& name) {
    return std::ranges::find(
        parameters, name, [](const std::string& text) { return fitting::read_parameter(text).name; });
}

std::string number_text(double value) {
    return std::isfinite(value) ? format_real(value) : "";
}

// A field for a number that may be left out.
template <class F>
void optional_number(const char* id, UiState& ui, const std::string& shown, std::string_view tip, F&& take) {
    text_field(id, ui, shown, tip, [&](const std::string& text) {
        const auto number = equation::typed_number(text);
        if (!number && !text.empty()) throw InputError("'{}' is not a number", text);
        take(number);
    });
}

void draw_free_parameter(UiState& ui,
                         const Snapshot& snapshot,
                         const fitting::Parameter& parameter,
                         double present) {
    const auto set = [&](auto&& edit) {
        plan(ui, snapshot, [&](fitting::FitWords& words) {
            const auto found = find_free(words.parameters, parameter.name);
            if (found == words.parameters.end()) return;
            fitting::Parameter next = fitting::read_parameter(*found);
            edit(next);
            *found = to_string(next);
        });
    };
    constexpr std::string_view kStart =
        "Where the fit begins; empty: at the present value\n--fit NAME=START:LOW:HIGH";
    row("  from", kStart, em(4));
    optional_number(
        "##start",
        ui,
        format_real(parameter.start.value_or(present)),
        kStart,
        [&](std::optional<double> number) { set([&](fitting::Parameter& next) { next.start = number; }); });
    same_line();
    bool log = parameter.log;
    if (checkbox(
            "log", &log, "Steps the logarithm, for a value of unknown order of magnitude\n--fit NAME:log"))
        set([&](fitting::Parameter& next) { next.log = log; });
    constexpr std::string_view kBounds =
        "The least and the largest value; empty: no bound\n--fit NAME=START:LOW:HIGH";
    row("  within", kBounds);
    const float half = button_size(2).x;
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    ImGui::SetNextItemWidth(half);
    optional_number("##low", ui, number_text(parameter.low), kBounds, [&](std::optional<double> number) {
        set([&](fitting::Parameter& next) { next.low = number.value_or(-kOpen); });
    });
    same_line();
    ImGui::SetNextItemWidth(half);
    optional_number("##high", ui, number_text(parameter.high), kBounds, [&](std::optional<double> number) {
        set([&](fitting::Parameter& next) { next.high = number.value_or(kOpen); });
    });
}

void draw_parameters_to_fit(UiState& ui, const Snapshot& snapshot) {
    subtitle("Free parameters", "The fit looks for the values of those that are ticked");
    std::vector<std::string> words = snapshot.beside.fit.parameters;
    const RunSpec& now = snapshot.now;
    for (std::size_t i = 0; i < now.parameters.size(); ++i) {
        const std::string& name = now.model->parameters[i].name;
        const IdScope scope(name);
        const auto found = find_free(words, name);
        bool is_free = found != words.end();
        const std::string tip = fmt::format("Is found by the fit\n--fit {}", name);
        if (checkbox_row(name.c_str(), &is_free, tip))
            plan(ui, snapshot, [&](fitting::FitWords& next) {
                const auto there = find_free(next.parameters, name);
                if (is_free && there == next.parameters.end())
                    next.parameters.push_back(name);
                else if (!is_free && there != next.parameters.end())
                    next.parameters.erase(there);
            });
        if (is_free && found != words.end())
            draw_free_parameter(ui, snapshot, fitting::read_parameter(*found), now.parameters[i]);
    }
    if (now.parameters.empty())
        paragraph("The equation has no parameters. Give a number a name: D = 0.1", faint_color());
}

// Starts the fit without parameters of a model that was there before.
void start(UiState& ui, const Snapshot& snapshot) {
    plan(ui, snapshot, [&](fitting::FitWords& words) {
        std::erase_if(words.parameters, [&](const std::string& text) {
            return !snapshot.now.model->index_of(fitting::read_parameter(text).name);
        });
    });
    ui.act(action::StartFit{});
}

std::string with_error(double value, double error) {
    const std::string text = fmt::format("{:.6g}", value);
    return std::isfinite(error) ? fmt::format("{} \xc2\xb1 {:.2g}", text, error) : text;
}

void draw_correlation(const fitting::Result& result) {
    const std::size_t n = result.estimates.size();
    if (n < 2 || result.correlation.size() != n * n) return;
    subtitle("Correlation",
             "Of the estimates' errors: near 1 or -1, only a combination of the two is known well");
    if (!ImGui::BeginTable("correlation", int(n) + 1)) return;
    const auto cell = [](const std::string& text, const ImVec4& color) {
        ImGui::TableNextColumn();
        colored_text(text, color);
    };
    ImGui::TableNextRow();
    cell("", text_color());
    for (const fitting::Estimate& one : result.estimates) cell(one.parameter.name, faint_color());
    for (std::size_t i = 0; i < n; ++i) {
        ImGui::TableNextRow();
        cell(result.estimates[i].parameter.name, faint_color());
        for (std::size_t j = 0; j <= i; ++j) {
            const double value = result.correlation[i * n + j];
            cell(std::isfinite(value) ? fmt::format("{:.2f}", value) : "-",
                 i != j && std::abs(value) > 0.95 ? warning_color() : text_color());
        }
    }
    ImGui::EndTable();
}

void draw_estimates(const FitView& fit) {
    const fitting::Result& result = fit.result;
    if (begin_values("estimates", false)) {
        for (const fitting::Estimate& one : result.estimates)
            value_row(one.parameter.name.c_str(),
                      with_error(one.value, one.error),
                      "",
                      one.note.empty() ? "Estimate and standard error" : one.note);
        value_row("rms residual",
                  result.iterations.empty() || result.values == 0
                      ? "-"
                      : fmt::format("{:.4g}", std::sqrt(result.chi_square / double(result.values))),
                  "",
                  "Root mean square of the residuals, in units of the noise where that is given");
        if (result.noise_given)
            value_row("chi-square",
                      fmt::format("{:.5g} of {}", result.chi_square, result.degrees),
                      "",
                      "Beside the degrees of freedom, which it equals if the model describes the targets");
        else
            value_row("noise", fmt::format("{:.4g}", result.noise), "", "Estimated from the residuals");
        end_values();
    }
    for (const fitting::Estimate& one : result.estimates)
        if (!one.note.empty())
            paragraph(fmt::format("{}: {}", one.parameter.name, one.note), warning_color());
}

void draw_result(const FitView& fit) {
    const fitting::Result& result = fit.result;
    if (!fit.failure.empty()) return error_text(fit.failure);
    if (result.iterations.empty()) return paragraph("Making the first evaluation", faint_color());
    const std::string evaluations =
        fmt::format("{} evaluation{}", result.evaluations, result.evaluations == 1 ? "" : "s");
    paragraph(fit.running ? "Fitting: " + evaluations : fmt::format("{}, {}", result.message, evaluations),
              fit.running      ? faint_color()
              : result.success ? good_color()
                               : warning_color());
    draw_estimates(fit);
    draw_correlation(result);
    subtitle("Convergence", "The root mean square of the residuals, by evaluation");
    draw_plot(fitting::convergence_chart(result), em(12));
    for (std::size_t i = 0; i < fit.charts.size(); ++i) {
        const IdScope scope{int(i)};
        subtitle("Target and fitted run", "Points: the target's values; lines: the best run so far");
        draw_plot(fit.charts[i], em(12));
    }
    if (fit.running) return;
    if (!result.why_differences.empty())
        paragraph("The derivatives are differences of runs: " + result.why_differences, faint_color());
    for (const std::string& advice : result.advice) paragraph("Note: " + advice, faint_color());
}

// With several targets that are fields one of them is pictured.
void draw_pictured(UiState& ui, const FitView& fit) {
    if (!fit.has_fields() || fit.fields->size() < 2) return;
    std::vector<std::string> names;
    for (const fitting::FieldResidual& one : *fit.fields)
        names.push_back(fmt::format("{}: {}",
                                    one.index + 1,
                                    std::filesystem::path(fit.words.targets[one.index]).filename().string()));
    const auto shown = std::size_t(&fit.pictured(ui.fit_target) - fit.fields->data());
    const auto chosen = name_row("Pictured",
                                 names,
                                 names[shown],
                                 "The target that the canvas shows beside the run and their difference\n"
                                 "--show-target N");
    if (!chosen) return;
    ui.fit_target = (*fit.fields)[*chosen].index;
    ui.panes = fit_panes();
}

void draw_fit_buttons(UiState& ui, const Snapshot& snapshot) {
    const fitting::FitWords& words = snapshot.beside.fit;
    const auto& fit = snapshot.fit;
    const bool running = fit && fit->running, has_any = fit && !fit->result.estimates.empty();
    const ImVec2 half = button_size(2);
    const std::string why = words.targets.empty()      ? "Add a target"
                            : words.parameters.empty() ? "Tick a parameter"
                                                       : "";
    if (running) {
        if (button("Stop", half, "Ends the fit; its best evaluation stays. Key Esc."))
            ui.act(action::CancelFit{});
    } else if (button("Fit",
                      half,
                      "Finds the ticked parameters in the background, by runs of the present settings from "
                      "step 0 on\nstencilscope fit",
                      why)) {
        start(ui, snapshot);
    }
    same_line();
    if (button("Take over",
               half,
               "Sets the sliders to the estimates; Undo brings the former values back",
               has_any ? "" : "There are no estimates yet")) {
        ui.act(action::TakeFit{});
        if (is_of_fit(ui.panes.front())) ui.panes = {Pane::now};
    }
    if (button("Export",
               half,
               "Writes the files of stencilscope fit to the folder of Export",
               running    ? "The fit goes on"
               : !has_any ? "There is no fit"
                          : ""))
        ui.act(action::ExportFit{ui.preferences.exports.folder});
    same_line();
    if (button("Copy command", half, "The command that repeats this fit", why))
        copy_fit_command(ui, snapshot);
    if (button_row("Close",
                   "Forgets targets and fit; Undo brings the targets back",
                   words.empty() ? "There is none" : ""))
        ui.act(action::PlanFit{});
}

}  // namespace

void add_fit_target(UiState& ui, const Snapshot& snapshot, const std::string& file) {
    std::error_code failed;
    const bool is_there = std::filesystem::exists(file, failed);
    std::string text = is_there ? std::filesystem::absolute(file, failed).string() : file;
    const auto time = time_at(snapshot.spec, snapshot.step);
    if (is_there && !is_table_file(file) && time && snapshot.step > 0)
        text += fmt::format("@{:.12g}", *time / snapshot.now.unit_time.size);
    plan(ui, snapshot, [&](fitting::FitWords& words) { words.targets.push_back(text); });
    ui.ask(RevealSection{"Fit"});
}

bool take_drop(UiState& ui, const Snapshot& snapshot, const std::string& path) {
    const FitState& state = ui.panel.of<FitState>();
    const bool visible = ImGui::GetFrameCount() - state.drawn_in <= 1;
    if (!state.takes_drops || !visible || !has_field_ending(path) || is_model_file(path)) return false;
    add_fit_target(ui, snapshot, path);
    return true;
}

void draw_fit(UiState& ui, const Snapshot& snapshot) {
    ui.panel.of<FitState>().drawn_in = ImGui::GetFrameCount();
    if (snapshot.beside.fit.targets.empty())
        paragraph(
            "Finds parameters by which the run gives measured values. Drop an array, a picture or a "
            "table on the window, or enter its path.",
            faint_color());
    draw_targets(ui, snapshot);
    draw_parameters_to_fit(ui, snapshot);
    draw_fit_buttons(ui, snapshot);
    if (snapshot.fit) draw_pictured(ui, *snapshot.fit);
    if (snapshot.fit) draw_result(*snapshot.fit);
}

}  // namespace stencil
