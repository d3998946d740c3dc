#include "app/window/opening.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/sessions.h"
#include "sim/problem/artifact.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

// Whether the window's export does not write the file.
bool is_not_exported(const std::string& name) {
    const Artifact* file = find_artifact(name);
    return !file || file->frames;
}

// A scripted window neither reads nor shows the user's own choices.
Preferences preferences_for(const WindowRequest& request, std::string& trouble) {
    const bool scripted = request.frames > 0;
    Preferences preferences = scripted ? Preferences() : load_preferences(&trouble);
    if (request.theme) preferences.theme = *request.theme;
    if (request.sections) {
        preferences.open_sections = *request.sections;
        if (!request.sections->empty())
            preferences.panel_tab = tab_of(request.sections->front()).value_or(preferences.panel_tab);
    }
    if (request.window) {
        preferences.window_width = request.window->nx;
        preferences.window_height = request.window->ny;
    }
    return preferences;
}

// A headless run is refused if --show or --arrows cannot be evaluated at any step; the window shows a message
// and the rest of the run.
std::string unread_formula(const RunSpec& spec) {
    try {
        spec.require_formula(spec.show);
        spec.require_arrows();
        return "";
    } catch (const InputError& mistake) {
        return mistake.what();
    }
}

void set_if_known(RunSpec& spec, std::string_view setting, const std::string& value) {
    if (value.empty() || !setting_text(spec, setting).empty()) return;
    try {
        set_setting(spec, setting, value);
    } catch (const InputError&) {
        // The colour map no longer exists.
    }
}

}  // namespace

void check_sections(const WindowRequest& request) {
    if (!request.sections) return;
    std::vector<std::string> known;
    for (const Section& section : sections()) known.emplace_back(section.title);
    for (const std::string& title : *request.sections)
        if (!contains(known, title))
            throw InputError("--sections: " + unknown_name_message("section", title, known));
}

std::shared_ptr<const Snapshot> first_snapshot(const RunSpec& asked) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->machine = std::make_shared<Machine>(query_machine());
    snapshot->now = resolve(asked, *snapshot->machine);
    snapshot->spec = snapshot->now;
    snapshot->busy = "making the initial field";
    return snapshot;
}

UiState first_state(WindowRequest& request, const Snapshot& snapshot) {
    UiState ui;
    const bool scripted = request.frames > 0;
    std::string trouble;
    ui.preferences = preferences_for(request, trouble);
    for (const std::string& told : {request.trouble, trouble, unread_formula(request.spec)})
        if (!told.empty()) ui.act(action::Tell{told, "", true});
    if (!scripted) {
        recall(ui, request.spec);
        ui.panel.start_page = request.start_page;
        ui.panel.sessions.files = find_sessions();
    }
    if (request.panes) ui.panes = *request.panes;
    ui.profiles = request.spec.profiles;
    ui.surface = request.spec.surface;
    if (!request.out.empty())
        ui.preferences.exports.folder = ui.panel.measure.folder = ui.panel.examples.folder = request.out;
    if (request.exports) {
        ui.preferences.exports.files = request.spec.exports;
        std::erase_if(ui.preferences.exports.files, is_not_exported);
    }
    if (!request.draft.empty()) {
        ui.panel.equation.draft = request.draft;
        ui.ask(RevealSection{"Equation"});
    }
    if (request.go_to) ui.act(action::Jump{*request.go_to, false});
    if (request.beside.sweep) ui.act(action::ShowSweep{request.beside.sweep});
    if (request.beside.run_b) ui.act(action::ShowRunB{request.beside.run_b});
    if (!request.beside.fit.empty()) ui.act(action::PlanFit{request.beside.fit});
    if (request.fits) {
        ui.act(action::StartFit{});
        ui.ask(RevealSection{"Fit"});
    }
    if (!request.kernel.empty()) choose_kernel(ui, request.kernel);
    ui.panel.examples.large = request.large_results;
    ui.panel.examples.held = scripted;
    ui.presenter = request.presenter;
    ui.frames_per_step = request.frames_per_step;
    ui.fit_target = request.fit_target;
    if (request.editor) toggle_large_editor(ui, snapshot);
    if (request.tour) begin_tour(ui, snapshot);
    if (request.example) {
        show_request(ui.panel.examples, *request.example);
        ui.ask(RevealSection{"Examples"});
    }
    return ui;
}

void recall(UiState& ui, RunSpec& spec) {
    const Preferences& p = ui.preferences;
    if (const auto panes = panes_named(p.view)) ui.panes = *panes;
    std::erase_if(ui.preferences.exports.files, is_not_exported);
    if (spec.chosen_colormap(spec.shown()).empty()) set_if_known(spec, setting_name::colormap, p.colormap);
    set_if_known(spec, setting_name::laplacian_colormap, p.laplacian_colormap);
}

Preferences kept(const UiState& ui, const RunSpec& now) {
    Preferences p = ui.preferences;
    p.view = shown_view(ui).name;
    if (!now.colormap.empty()) p.colormap = now.colormap;
    p.laplacian_colormap = now.laplacian_colormap;
    return p;
}

}  // namespace stencil
