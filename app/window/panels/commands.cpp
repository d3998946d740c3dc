#include "app/window/panels/commands.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/window/other_runs.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/sessions.h"
#include "sim/import/model_file.h"
#include "sim/machine/child_process.h"
#include "sim/model/text/typed_number.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"

namespace stencil {

void change(UiState& ui, std::string setting, std::string_view value, bool continuing) {
    ui.act(action::Change{std::move(setting), std::string(value), continuing});
}

void change_colors(UiState& ui,
                   const RunSpec& now,
                   const std::string& formula,
                   std::string_view setting,
                   std::string_view value,
                   bool continuing) {
    // If a formula that is not shown has its own colours, only --colors can change them.
    const bool apart = formula != now.shown() && now.colors.contains(formula);
    if (!apart || setting.starts_with("laplacian"))
        return change(ui, std::string(setting), value, continuing);
    Coloring own = now.colors.at(formula);
    if (setting == setting_name::range)
        own.range = parse_range(value, "range");
    else
        own.colormap = value;
    change(ui, setting_name::colors, coloring_text(formula, own), continuing);
}

void begin_model(UiState& ui, std::string_view name) {
    ui.act(action::Change{setting_name::model, std::string(name), false, true});
    ui.panel.equation.model.clear();
}

void toggle_running(UiState& ui, const Snapshot& snapshot) {
    ui.act(action::Run{!snapshot.running && !snapshot.ordered});
}

void open_path(UiState& ui, const std::string& path) {
    ui.panel.start_page = false;
    remember_path(ui.preferences, path);
    if (path.ends_with(".cu"))
        choose_kernel(ui, path);
    else
        ui.act(action::Open{path});
}

void show_panels(UiState& ui) {
    ui.preferences.panels = true;
    ui.presenter = false;
}

void show_open_popup(UiState& ui, const Snapshot&) {
    show_panels(ui);  // the popup belongs to the toolbar
    ui.panel.open_popup_wanted = true;
}

void export_files(UiState& ui, const Snapshot& snapshot, const std::vector<std::string>& files) {
    const ExportChoices& state = ui.preferences.exports;
    if (watched_tiles(ui, snapshot)) return ui.act(action::ExportSweep{state.folder});
    if (is_of_fit(ui.panes.front())) return ui.act(action::ExportFit{state.folder});
    if (!snapshot.exporting) ui.act(action::Export{state.folder, files, state.replace});
}

void copy_sweep_command(UiState& ui, const SweepSpec& sweep) {
    ui.say(fmt::format("Copied, {} runs", sweep.count()));
    ui.ask(CopyText{command_text(sweep) + output_words(ui.preferences.exports.folder, {})});
}

void copy_fit_command(UiState& ui, const Snapshot& snapshot) {
    const fitting::FitWords& words = snapshot.beside.fit;
    try {
        const bool made = snapshot.fit && snapshot.fit->words == words;
        RunSpec now = snapshot.now;
        if (snapshot.auto_method) now.method = "auto";
        const RunSpec run =
            made ? snapshot.fit->run : fit_base(now, fit_end(snapshot.stop_at, snapshot.step), words);
        ui.say("Copied the fit's command");
        ui.ask(CopyText{command_text(run, words) + output_words(ui.preferences.exports.folder, {})});
    } catch (const InputError& error) {
        ui.say(error.what());
    }
}

void copy_command_line(UiState& ui, const Snapshot& snapshot) {
    if (is_of_fit(ui.panes.front())) return copy_fit_command(ui, snapshot);
    if (const MosaicTiles* tiles = watched_tiles(ui, snapshot)) return copy_sweep_command(ui, *tiles->sweep);
    const std::size_t edits = snapshot.spec.edits.size();
    std::string trouble;
    CommandCopy copy;
    try {
        copy = command_copy(snapshot.spec, ui.preferences.exports.folder);
    } catch (const std::exception& error) {
        copy.text = command_text(snapshot.spec);
        trouble = fmt::format("; its file cannot be written: {}", error.what());
    }
    std::string said = fmt::format("Copied, {}", format_bytes(double(copy.text.size())));
    if (edits > 0) said += fmt::format(", {} edit{}", edits, edits == 1 ? "" : "s");
    if (!copy.file.empty()) said += " in " + copy.file;
    ui.say(said + trouble);
    ui.ask(CopyText{copy.text + output_words(ui.preferences.exports.folder, ui.preferences.exports.files)});
}

void copy_link(UiState& ui, const Snapshot& snapshot) {
    try {
        const std::string link = link_of_text(text_of_run(snapshot.now));
        ui.say(fmt::format("Copied, {}", format_bytes(double(link.size()))));
        ui.ask(CopyText{link});
    } catch (const InputError& error) {
        ui.say(error.what());
    }
}

void enter_pace(UiState& ui, const Snapshot& snapshot, const std::string& text) {
    const auto value = equation::typed_number(text);
    if (!value || !(*value >= 1.0 / kSlowest) || *value > double(kMaxSteps))
        throw InputError(
            "'{}' must be a number from 1/{} to {}, such as 10 or 1/4", text, kSlowest, kMaxSteps);
    ui.frames_per_step = std::max(1, int(std::lround(1 / *value)));
    ui.act(action::Pace{std::max(1LL, std::llround(*value)), snapshot.budget_ms});
}

void open_folder(UiState& ui, const std::string& folder) {
    if (!start_detached({"xdg-open", std::filesystem::absolute(folder).string()}))
        ui.say("xdg-open is not installed; the folder is " + folder);
}

void fit(UiState& ui, const Snapshot&) {
    ui.view.fitted = true;
    ui.surface = {};
}

void one_cell_per_pixel(UiState& ui, const Snapshot&) {
    ui.view = one_to_one(ui.view, ui.picture);
}

void next_view(UiState& ui, const Snapshot&) {
    const auto rows = panes();
    const Pane shown = is_three_up(ui) ? ui.panel.single_pane : ui.panes.front();
    const auto found = std::ranges::find(rows, shown, &PaneRow::pane);
    const bool last = found == rows.end() || found + 1 == rows.end();
    show_pane(ui, last ? rows.front().pane : (found + 1)->pane);
}

void continue_session(UiState& ui, const std::string& path) {
    ui.panel.equation.next_draft = draft_of_session(path);
    ui.act(action::Open{path});
}

void leave_controls() {
    if (!ImGui::GetIO().WantTextInput) ImGui::SetWindowFocus(nullptr);
}

void follow_opened(UiState& ui, const Snapshot& snapshot) {
    if (snapshot.opened == ui.opened || !snapshot.opened) return;
    ui.opened = snapshot.opened;
    ui.panes = ui.opened->panes;
    ui.profiles = ui.opened->profiles;
    ui.surface = ui.opened->surface;
    ui.panel.equation.draft = std::exchange(ui.panel.equation.next_draft, {});
    ui.panel.equation.model.clear();
}

void follow_components(UiState& ui, const Snapshot& snapshot) {
    if (!shows_components(ui)) return;
    ui.panes = component_panes(*snapshot.now.model);
    if (ui.panes.size() < 2) show_pane(ui, Pane::now);
}

void toggle_three_up(UiState& ui, const Snapshot&) {
    if (is_three_up(ui)) return show_pane(ui, ui.panel.single_pane);
    ui.panel.single_pane = shows_components(ui) ? Pane::now : ui.panes.front();
    ui.panes = three_up();
}

void snap_range(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.frame) return;
    for (const PaneImage& image : snapshot.frame->panes) {
        const ValueRange& range = image.range;
        const bool laplacian = image.request.pane == Pane::laplacian;
        const bool values = image.request.pane == Pane::now || !shows_cells(image.request.pane);
        if (!(range.low < range.high) || (!laplacian && !values)) continue;
        change(ui,
               laplacian ? setting_name::laplacian_range : setting_name::range,
               to_string({RangeRule::Kind::fixed, range.low, range.high, range.scale}));
    }
}

void use_brush(UiState& ui, const Snapshot&) {
    ui.tool = Tool::paint;
    ui.erases = false;
}

void use_eraser(UiState& ui, const Snapshot&) {
    ui.erases = ui.tool != Tool::paint || !ui.erases;
    ui.tool = Tool::paint;
}

void follow_brush(UiState& ui, const Snapshot& snapshot) {
    BrushState& state = ui.panel.brush;
    const auto& size = snapshot.now.size;
    const int side = size ? std::max(size->nx, size->ny) : state.side;
    if (state.percent && state.side > 0 && side != state.side)
        ui.preferences.brush.radius =
            std::clamp(ui.preferences.brush.radius * side / state.side, kMinBrushRadius, kMaxBrushRadius);
    state.side = side;
}

void close_popups(UiState& ui, const Snapshot& snapshot) {
    const bool any = ui.help_open || ui.gallery.open || ui.panel.examples.large || ui.panel.measure.large ||
                     ui.panel.dispersion.large || ui.popup_open || ui.panel.start_page;
    if (!any && in_tour(ui)) return end_tour(ui);
    if (!any && std::exchange(ui.presenter, false)) return;
    if (!any) stop_long_action(ui, snapshot);
    ui.help_open = ui.gallery.open = ui.panel.examples.large = ui.panel.measure.large = false;
    ui.panel.dispersion.large = false;
    ui.ask(ClosePopups{});
}

void toggle_panels(UiState& ui, const Snapshot&) {
    if (ui.presenter) return show_panels(ui);
    ui.preferences.panels = !ui.preferences.panels;
}

void toggle_theme(UiState& ui, const Snapshot&) {
    Theme& theme = ui.preferences.theme;
    theme = theme == Theme::dark ? Theme::light : Theme::dark;
}

}  // namespace stencil
