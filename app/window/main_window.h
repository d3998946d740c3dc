// stencilscope without a subcommand: opens the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/ui_state.h"
#include "sim/problem/run_spec.h"

namespace stencil {

struct WindowRequest {
    RunSpec spec;
    std::optional<Ending> stop_at;   ///< where the run stops; empty: nowhere
    std::optional<long long> go_to;  ///< step to go to first; the run then pauses
    std::string out;                 ///< initial folder of the export panel
    bool exports = false;            ///< the export panel begins with the files of `spec`
    bool paused = false;
    bool plain = false;                        ///< no run was asked for, so the window shows a lively one
    std::optional<long long> steps_per_frame;  ///< 0: automatic
    int frames_per_step = 1;                   ///< frames per step of slow motion
    bool continues = false;                    ///< continues the session stored last
    std::string draft;                         ///< text of that session's equation, as typed
    std::string trouble;                       ///< first message to show; empty: none
    std::optional<std::vector<Pane>> panes;    ///< empty: from the preferences
    Beside beside;                             ///< shown beside the run
    bool fits = false;                         ///< begins with the fit
    std::size_t fit_target = 0;                ///< index of the fit's target that is pictured
    std::optional<double> zoom;                ///< pixels per cell; empty: fit the field

    // Options of a scripted window. With `frames`, the user's preferences are neither read nor written.
    long long frames = 0;     ///< close after so many new frames of the field; 0: never
    std::string screenshot;   ///< file for a picture of the last frame; empty: none
    std::string film;         ///< file for a film of the canvas with a picture per frame; empty: none
    double fps = 30;          ///< of the film
    std::string json;         ///< file for the cost of the frames; empty: none
    bool tour = false;        ///< begins with the tour
    bool editor = false;      ///< begins with the large editor
    bool presenter = false;   ///< begins as presenter
    bool start_page = false;  ///< begins with the start page
    bool vsync = true;
    bool interop = true;
    std::optional<Size> window;  ///< in pixels at scale 1
    std::optional<float> scale;  ///< replaces the monitor's
    std::optional<Theme> theme;
    std::optional<std::vector<std::string>> sections;  ///< titles of the panel's open sections
    /// An example to run at the start; `frames` are counted after it.
    std::optional<ExampleRequest> example;
    std::string kernel;          ///< kernel to watch from the start; empty: none
    bool large_results = false;  ///< show an example's results over the canvas
};

/// Returns the exit status. Throws InputError if there is no display, and what a run throws.
int window_command(const WindowRequest& request);

}  // namespace stencil
