// stencilscope without a subcommand: the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/ui_state.h"
#include "sim/run/run_spec.h"

namespace stencil {

struct WindowRequest {
    RunSpec spec;
    std::optional<long long> stop_at;  ///< a run stops there; empty: it goes on
    std::string out;                   ///< folder that the export panel begins with
    bool paused = false;
    long long steps_per_frame = 10;  ///< 0: automatic; few, so that the start is seen on a fast machine too
    bool continues = false;          ///< with the session that was kept last
    std::string trouble;             ///< a message that the window begins with; empty: none
    std::optional<std::vector<Pane>> panes;  ///< else as the preferences have it
    std::optional<double> zoom;              ///< pixels per cell; empty: all of the field is seen

    // What a scripted window needs. With frames, the user's preferences are neither read nor written.
    long long frames = 0;    ///< leave after this many new ones of the field; 0: when told to
    std::string screenshot;  ///< file for a picture of the last frame; empty: none
    std::string film;        ///< file for a film of the canvas, a picture for each frame; empty: none
    double fps = 30;         ///< of the film
    std::string json;        ///< file for what the frames cost; empty: none
    bool prompts = false;    ///< those of the first minute, even where they were seen
    bool tour = false;       ///< begins with it
    bool vsync = true;
    bool interop = true;
    std::optional<Size> window;  ///< pixels at scale 1
    std::optional<float> scale;  ///< instead of the monitor's
    std::optional<Theme> theme;
    std::optional<std::vector<std::string>> sections;  ///< of the panel that are open, by title
    /// Runs from the start on; with frames, they count once it has ended.
    std::optional<ExampleRequest> example;
    std::string kernel;          ///< a file that is watched from the start on; empty: none
    bool large_results = false;  ///< of an example: over the canvas
};

/// Returns the exit status. Throws InputError where there is no display, and what a run throws.
int window_command(const WindowRequest& request);

}  // namespace stencil
