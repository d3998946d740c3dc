#include "app/commands/commands.h"

#include <filesystem>
#include <memory>

#include "app/cli.h"
#include "app/launch.h"
#include "app/run_options.h"
#include "app/window/main_window.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/preferences.h"
#include "app/window/sessions.h"
#include "sim/fit/fit_words.h"
#include "sim/sweep/sweep_table.h"
#if STENCILSCOPE_HAS_WINDOW
#include "sim/files/input_file.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/start.h"
#include "sim/text/quote.h"
#endif
#include "sim/run/output/film.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void set_theme(WindowRequest& request, const std::string& text) {
    const std::vector<std::string> known{"dark", "light"};
    if (!contains(known, text)) throw InputError("--theme: " + unknown_name_message("theme", text, known));
    request.theme = text == known[0] ? Theme::dark : Theme::light;
}

void set_window(WindowRequest& request, const std::string& text) {
    const auto parts = split(text, 'x');
    if (parts.size() != 2) throw InputError("--window " + text + ": must be WIDTHxHEIGHT, e.g. 1280x800");
    request.window = Size{int(parse_integer(parts[0], "window", kMinWindow, kMaxWindow)),
                          int(parse_integer(parts[1], "window", kMinWindow, kMaxWindow))};
}

void set_scale(WindowRequest& request, const std::string& text) {
    const double scale = parse_real(text, "scale");
    if (scale < 0.5 || scale > 4) throw InputError("--scale " + text + ": must be from 0.5 to 4");
    request.scale = float(scale);
}

void set_zoom(WindowRequest& request, const std::string& text) {
    if (text == "fit") {
        request.zoom.reset();
        return;
    }
    const double zoom = parse_real(text, "zoom");
    if (zoom <= 0 || zoom > kLargestScale)
        throw InputError("--zoom " + text + ": must be fit, or above 0 and at most 256 pixels per cell");
    request.zoom = zoom;
}

void set_pace(WindowRequest& request, const std::string& text) {
    const bool slow = text.starts_with("1/");
    request.frames_per_step =
        slow ? int(parse_integer(text.substr(2), "steps-per-frame: the number of frames", 1, kSlowest)) : 1;
    request.steps_per_frame = text == "auto" ? 0
                              : slow         ? 1
                                             : parse_integer(text, "steps-per-frame", 1, kMaxSteps);
}

// The runs that a window begins with.
struct TileWords {
    std::vector<std::string> vary, observe;
    std::string map;
};

#if STENCILSCOPE_HAS_WINDOW
std::shared_ptr<const SweepSpec> colored(SweepSpec sweep, const TileWords& words) {
    if (!words.observe.empty()) sweep.observe = words.observe;
    if (!words.map.empty()) sweep.map = words.map;
    with_map_observed(sweep);  // throws
    return std::make_shared<const SweepSpec>(std::move(sweep));
}

std::shared_ptr<const SweepSpec> sweep_of(const TileWords& words, const RunSpec& run, bool sized) {
    auto sweep = std::make_shared<SweepSpec>();
    sweep->base = sweep_base(run, sized ? *run.size : usual_tile(run));
    for (const std::string& vary : words.vary) sweep->vary.push_back(parse_vary(vary));
    sweep->observe = words.observe;
    sweep->validate();
    return colored(std::move(*sweep), words);
}

// A kept session may outlive the files that its run started from, so check that they still exist.
void require_start_files(const RunSpec& spec) {
    std::error_code failed;
    for (const std::string& file : start_files(spec))
        if (!std::filesystem::exists(file, failed))
            throw InputError("the session kept began from {}, which is gone", quotable(file));
}

// The index of the target that is pictured, from its number among all of them.
std::size_t pictured_target(const fitting::FitWords& fit, const std::string& number) {
    if (number.empty()) return 0;
    if (fit.targets.empty()) throw InputError("--show-target N needs --target FILE and --fit NAME");
    const auto index =
        std::size_t(parse_integer(number, "show-target", 1, static_cast<long long>(fit.targets.size()))) - 1;
    const std::string& target = fit.targets[index];
    if (!fitting::size_of_target(target))
        throw InputError("--show-target {}: {} is a table, which has no picture", number, quotable(target));
    return index;
}
#endif

int start_window([[maybe_unused]] const RunWords& words,
                 [[maybe_unused]] WindowRequest request,
                 [[maybe_unused]] const TileWords& sweep,
                 [[maybe_unused]] const fitting::FitWords& fit,
                 [[maybe_unused]] const std::string& shown_target) {
#if STENCILSCOPE_HAS_WINDOW
    if (!request.screenshot.empty() && request.frames == 0)
        throw InputError("--screenshot needs --frames N: the picture is that of the last frame");
    if (!request.film.empty() && request.frames == 0)
        throw InputError("--video needs --frames N: the film has a picture for each of them");
    RunWords all = words;
    if (request.continues) {
        if (!words.spec_file.empty())
            throw InputError("--continue takes its settings along: leave --spec out");
        const auto kept = find_sessions();
        if (kept.empty()) throw InputError("--continue: no session was kept yet; the window keeps its own");
        const std::string& last = kept.front();
        try {
            require_start_files(read_spec(last));
            all.spec_file = last;
            request.draft = draft_of_session(last);
            request.beside = beside_of_file(InputFile(last).read_text(), last);
        } catch (const InputError& error) {
            request.trouble = set_aside(last, error.what());
        }
    }
    const bool begins = request.continues || request.frames > 0 || request.tour || request.editor ||
                        request.presenter || request.example || !request.kernel.empty();
    request.spec = all.spec();
    if (const ReadyRun* run = find_ready_run(all.spec_file))
        request.beside = beside_of(*run);
    else if (const std::string text = named_text(all.spec_file); !text.empty() && !request.continues)
        request.beside = beside_of_file(text, all.spec_file);
    if (!sweep.vary.empty() || !sweep.observe.empty() || !sweep.map.empty())
        request.beside.sweep = sweep.vary.empty() && request.beside.sweep
                                   ? colored(*request.beside.sweep, sweep)
                                   : sweep_of(sweep, request.spec, words.has(setting_name::size));
    if (!fit.empty()) {
        if (fit.targets.empty() || fit.parameters.empty())
            throw InputError("--fit NAME and --target FILE are needed together");
        request.beside.fit = fit;
        request.fits = true;
        if (!request.spec.size) request.spec.size = fitting::size_of_targets(fit);
    }
    request.fit_target = pictured_target(request.beside.fit, shown_target);
    request.plain = sweep.vary.empty() && fit.empty() && words.settings.empty() && all.spec_file.empty();
    request.start_page = !begins && request.plain;
    if (request.plain && !request.tour && !request.example && request.kernel.empty())
        set_setting(request.spec, setting_name::model, "gray-scott-solitons");
    request.exports = words.has(setting_name::exports);
    if (words.has(setting_name::view) || !request.spec.view.empty()) request.panes = panes_of(request.spec);
    const bool ends =
        words.has(setting_name::steps) || words.has(setting_name::time) || words.has(setting_name::until);
    if (ends || (!all.spec_file.empty() && !request.continues))
        request.stop_at = request.spec;
    else if (!all.spec_file.empty())
        request.go_to = request.spec.steps;
    return window_command(request);
#else
    throw InputError("this build has no window; 'stencilscope run --out DIR' runs headless (see --help)");
#endif
}

}  // namespace

ChosenCommand add_window(CLI::App& app) {
    struct Words {
        RunWords run;
        WindowRequest request;
        TileWords sweep;
        fitting::FitWords fit;
        std::string shown_target;
    };
    const auto words = std::make_shared<Words>();
    WindowRequest& request = words->request;
    add_settings(app, words->run);
    add_processes(app);
    add_device(app);
    const auto add = [&](const char* name, const char* value, const char* help, auto set) {
        add_text(app, name, value, help, [&request, set](const std::string& text) {
            set(request, text);
        })->group("Window");
    };
    const auto add_member = [&](const char* name, const char* value, const char* help, auto member) {
        add(name, value, help, [member](WindowRequest& r, const std::string& text) { r.*member = text; });
    };
    const auto add_flag = [&](const char* name, const char* help, bool WindowRequest::*member, bool value) {
        app.add_flag_callback(
               name, [&request, member, value] { request.*member = value; }, help)
            ->group("Window");
    };
    add("zoom", "fit|S", "all of the field, or S pixels per cell (default fit)", set_zoom);
    add("steps-per-frame",
        "N|1/N|auto",
        "explicit steps between two frames (default 10; auto without options of the run); 1/4 is slow "
        "motion, a "
        "step every four frames",
        set_pace);
    const auto add_list = [&](const char* name, const char* value, const char* help, auto TileWords::*list) {
        add_texts(app, name, value, help, [&sweep = words->sweep, list](const std::string& text) {
            (sweep.*list).push_back(text);
        })->group("Window");
    };
    add_list("vary",
             "NAME=FROM:TO:COUNT[:log]",
             "begin with the tiles of a sweep over one or two settings, as 'stencilscope sweep' takes them; "
             "64x64 cells each without --size",
             &TileWords::vary);
    add_list("observe", "FORMULA", "with --vary: the value that colours small tiles", &TileWords::observe);
    add_text(app,
             "map",
             "NAME",
             "with --vary: what colours small tiles, a column of sweep.csv such as wavelength, or a formula",
             [&sweep = words->sweep](const std::string& text) { sweep.map = text; })
        ->group("Window");
    add_fit_words(app, words->fit, "Window");
    add_text(app,
             "show-target",
             "N",
             "with several targets: which of them is pictured, an array or a picture (default the first)",
             [&shown = words->shown_target](const std::string& text) { shown = text; })
        ->group("Window");
    add_member("out", "DIR", "the folder that the export panel begins with", &WindowRequest::out);
    add("theme", "NAME", "dark or light", set_theme);
    add("window", "WxH", "the window's size in pixels at scale 1", set_window);
    add("scale", "S", "of text and controls, instead of the monitor's", set_scale);
    add("sections",
        "LIST",
        "sections of the side panel that are open, e.g. Simulation,Brush; shows the tab of the first",
        [](WindowRequest& r, const std::string& text) { r.sections = split(text, ','); });
    add("example",
        "'NAME ...'",
        "run an example from the start on, with its options as 'stencilscope example' takes them",
        [](WindowRequest& r, const std::string& text) { r.example = read_example(text); });
    add_flag("--results", "with --example: its results over the canvas", &WindowRequest::large_results, true);
    add_member("kernel",
               "FILE.cu",
               "a kernel of your own: checked whenever it is saved, and live once it is right",
               &WindowRequest::kernel);
    add("frames",
        "N",
        "leave after N new frames of the field; the user's settings are not touched",
        [](WindowRequest& r, const std::string& text) {
            r.frames = parse_integer(text, "frames", 1, kMaxSteps);
        });
    add_member(
        "screenshot", "FILE.png", "with --frames: a picture of the last one", &WindowRequest::screenshot);
    add("video",
        "FILE",
        "with --frames: a film of the canvas, a picture for each frame; .mp4, .webm or .gif, by ffmpeg",
        [](WindowRequest& r, const std::string& text) {
            check_video_name(text);
            r.film = text;
        });
    add("fps",
        "N",
        "frames per second of the film (default 30)",
        [](WindowRequest& r, const std::string& text) { r.fps = parse_fps(text); });
    add_member("json",
               "FILE",
               "when the window closes: what its frames cost, and how fast the field was stepped",
               &WindowRequest::json);
    add_flag("--tour",
             "eight cards for a first look, beside the controls that they speak of",
             &WindowRequest::tour,
             true);
    add_flag("--editor", "the equation in the large editor, beside the field", &WindowRequest::editor, true);
    add_flag("--presenter",
             "the field alone, below a large title and one button for run and pause",
             &WindowRequest::presenter,
             true);
    add_flag("--continue",
             "the session that was open last, up to the step where it was left",
             &WindowRequest::continues,
             true);
    add_flag("--paused", "do not run yet", &WindowRequest::paused, true);
    add_flag("--no-vsync", "do not wait for the monitor", &WindowRequest::vsync, false);
    add_flag("--no-interop", "copy pixels through the host on CUDA too", &WindowRequest::interop, false);
    return [words] {
        return start_window(words->run, words->request, words->sweep, words->fit, words->shown_target);
    };
}

}  // namespace stencil
