#include "app/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/cli.h"
#include "app/commands/bench_words.h"
#include "app/commands/code_command.h"
#include "app/commands/devices_command.h"
#include "app/commands/example_command.h"
#include "app/commands/models_command.h"
#include "app/commands/options_command.h"
#include "app/commands/run_command.h"
#include "app/commands/verify_command.h"
#include "app/console.h"
#include "app/film_options.h"
#include "app/launch.h"
#include "app/version.h"
#include "app/window_options.h"
#if STENCILSCOPE_HAS_WINDOW
#include "app/window/preferences.h"
#include "app/window/remembered.h"
#endif
#include "kernels/methods/method.h"
#include "sim/initial/initial.h"
#include "sim/model/meaning.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/ready_runs.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/trial.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

// Options given to `run`; they override those of a spec file, whatever their order.
struct RunWords {
    SettingWords settings;
    std::string spec_file;
    RunRequest request;
    FilmRequest film;  ///< no film if its file is empty
};

bool was_given(const RunWords& words, std::string_view name) {
    return std::ranges::any_of(words.settings, [&](const auto& word) { return word.first->name == name; });
}

RunSpec spec_of(const RunWords& words) {
    RunSpec spec;
    if (!words.spec_file.empty()) spec = named_spec(words.spec_file);
    set_all(spec, words.settings);
    return spec;
}

RunRequest request_of(const RunWords& words) {
    RunRequest request = words.request;
    request.film = film_of(words.film);
    if (request.resume.empty()) {
        request.spec = spec_of(words);
        request.spec_file = words.spec_file;
        return request;
    }
    if (!words.spec_file.empty()) throw InputError("--resume takes its settings along: leave --spec out");
    for (const auto& [setting, text] : words.settings) request.given.emplace_back(setting->name, text);
    if (request.out.empty()) request.out = request.resume;
    return request;
}

int start_run(const RunWords& words) {
    const RunRequest request = request_of(words);
    for (const std::string_view name : {"export", "every", "checkpoint"}) {
        if (request.film && name == "every") continue;
        if (request.out.empty() && was_given(words, name))
            throw InputError(fmt::format("--{} needs --out DIR, the folder to write to", name));
    }
    return run_command(request);
}

#if STENCILSCOPE_HAS_WINDOW
// A kept session may outlive the files that its run started from, so check that they still exist.
void require_start_files(const RunSpec& spec) {
    std::vector<std::string> starts{spec.initial};
    for (const auto& [component, text] : spec.initials) starts.push_back(text);
    for (const std::string& text : starts) {
        const std::string file = parse_initial(text).file;
        std::error_code failed;
        if (!file.empty() && !std::filesystem::exists(file, failed))
            throw InputError(fmt::format("the session kept began from {}, which is gone", quotable(file)));
    }
}
#endif

int start_window([[maybe_unused]] const RunWords& words, [[maybe_unused]] WindowRequest request) {
#if STENCILSCOPE_HAS_WINDOW
    if (!request.screenshot.empty() && request.frames == 0)
        throw InputError("--screenshot needs --frames N: the picture is that of the last frame");
    if (!request.film.empty() && request.frames == 0)
        throw InputError("--video needs --frames N: the film has a picture for each of them");
    RunWords all = words;
    if (request.continues) {
        if (!words.spec_file.empty())
            throw InputError("--continue takes its settings along: leave --spec out");
        const auto last = last_session();
        if (!last) throw InputError("--continue: no session was kept yet; the window keeps its own");
        try {
            require_start_files(read_spec(last->string()));
            all.spec_file = last->string();
        } catch (const InputError& error) {
            request.trouble = set_aside(*last, error.what());
        }
    }
    request.spec = spec_of(all);
    if (was_given(words, "steps") || !all.spec_file.empty()) request.stop_at = request.spec.steps;
    return window_command(request);
#else
    throw InputError("this build has no window; 'stencilscope run --out DIR' runs headless (see --help)");
#endif
}

std::string list_names() {
    std::string text = "Initial conditions (with options: gaussian:sigma=0.2,x=0.3):\n";
    for (const InitialCondition& row : initial_conditions()) {
        text += fmt::format("  {:<13} {}\n", row.name, row.help);
        for (const InitialParameter& p : row.parameters)
            text += fmt::format("  {:<13}   {}={}: {}\n", "", p.name, p.standard, p.help);
    }
    text += "\nReady runs (--spec NAME):\n";
    for (const ReadyRun& run : ready_runs()) text += fmt::format("  {:<15} {}\n", run.name, run.title);
    text += "\nMethods:\n";
    for (const Method& row : methods())
        text += fmt::format("  {:<13} {}: {}\n", row.name, name_of(row.device), row.summary);
    text += "\nMethods of typed equations:\n";
    for (const Method& row : methods(kEquation))
        text += fmt::format("  {:<13} {}: {}\n", row.name, name_of(row.device), row.summary);
    text += "\nBoundaries:\n";
    for (const BoundaryRow& row : kBoundaries) text += fmt::format("  {:<13} {}\n", row.name, row.help);
    text += "\nFiles of --export (* by default):\n";
    for (const Export& row : exports())
        text += fmt::format("  {:<14}{} {}\n", row.name, row.standard ? "*" : " ", row.help);
    for (const FrameExport& row : frame_exports()) text += fmt::format("  {:<14}  {}\n", row.name, row.help);
    text += "\nColour tables:\n ";
    for (const Colormap& map : colormaps())
        text += fmt::format(" {}{}", map.name, map.diverging ? " (diverging, centred at 0)" : "");
    return text;
}

std::string list_functions() {
    std::string text = "Functions of formulas:\n";
    for (const equation::Function& row : equation::functions())
        text += fmt::format("  {:<10} {}\n", row.name, row.help);
    return text + "  d(u)/d(F)  how u changes with the parameter F, where the text has `sensitivity = F`\n";
}

// Appends the default to the setting's help unless the help already states it.
std::string help_of(const Setting& setting) {
    const std::string help(setting.help);
    if (setting.value.empty() || help.find("(default") != std::string::npos) return help;
    const nlohmann::json standard = setting.get(RunSpec());
    if (standard.is_null()) return help;
    return fmt::format(
        "{} (default {})", help, standard.is_string() ? standard.get<std::string>() : standard.dump());
}

// Adds every setting of a run as an option of a command.
void add_settings(CLI::App& command, RunWords& words) {
    for (const Setting& setting : settings()) {
        const auto take = [&](const std::string& text) { words.settings.emplace_back(&setting, text); };
        if (setting.value.empty())
            command.add_flag_callback(
                fmt::format("--{}", setting.name), [take] { take("true"); }, help_of(setting));
        else if (setting.add)
            add_texts(command, setting.name, setting.value, help_of(setting), take);
        else
            add_text(command, setting.name, setting.value, help_of(setting), take)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    command
        .add_option("--spec",
                    words.spec_file,
                    "start from a ready run (see below) or a spec.json; other options override it")
        ->type_name("NAME|FILE.json");
    command.footer(list_names());
}

void add_folder(CLI::App& command, const std::string& name, const std::string& help, std::string& folder) {
    add_text(command, name, "DIR", help, [&folder, name](const std::string& text) {
        if (text.empty())
            throw InputError(fmt::format("--{} '': a folder is needed, and this is no name", name));
        folder = text;
    });
}

void add_run(CLI::App& app, RunWords& words) {
    CLI::App* run = app.add_subcommand("run", "Step a field and export pictures, arrays and timings");
    add_settings(*run, words);
    add_processes(*run);
    add_folder(*run, "out", "folder for the files", words.request.out);
    add_folder(
        *run,
        "resume",
        "go on from the newest checkpoint of the run in this folder, up to --steps counted from its start; "
        "--out is the same folder unless given",
        words.request.resume);
    add_text(*run,
             "compare",
             "dt/2",
             "also run with half the time step, and tell how far that is: the error of the steps",
             [&words](const std::string& text) {
                 if (text != "dt/2")
                     throw InputError(fmt::format("--compare {}: must be dt/2", quotable(text)));
                 words.request.compare = true;
             });
    add_film_options(*run, words.film);
    add_results(*run, words.request.json, words.request.quiet);
}

void add_devices(CLI::App& app, DevicesRequest& request, SettingWords& words) {
    CLI::App* devices =
        app.add_subcommand("devices", "Show CPU, GPUs, memory, driver and measured copy bandwidth");
    add_setting(*devices, "backend", "measure only this one: auto (all), cpu or cuda", words);
    add_setting(*devices, "threads", "CPU threads that copy (default: all)", words);
    add_results(*devices, request.json, request.quiet);
}

void add_verify(CLI::App& app, VerifyRequest& request) {
    CLI::App* verify = app.add_subcommand(
        "verify",
        "Prove this machine: every method beside the reference, every model by every way of stepping it");
    verify->add_flag("--quick", request.spec.quick, "one size, fewer compilations: under a minute");
    add_texts(*verify,
              "model",
              "NAME|FILE",
              "this model alone, e.g. a text of your own; may be repeated",
              [&request](const std::string& text) { request.spec.models.push_back(text); });
    add_folder(*verify, "out", "folder for verify.json and certificate.json", request.out);
    add_results(*verify, request.json, request.quiet);
}

struct ModelsWords {
    std::string name;
    bool code = false;
    SettingWords settings;  ///< for --code
};

void add_models(CLI::App& app, ModelsWords& words) {
    CLI::App* models =
        app.add_subcommand("models", "List the models, or show the text of one, or the code that steps it");
    models->add_option("NAME", words.name, "a model, or a run: a spec.json or the name of a ready one");
    models->add_flag(
        "--code",
        words.code,
        "of typed equations: the stages of a step, operations a cell, limits and speeds, and the "
        "code that is generated; of a file and of --equation, too");
    for (const char* name : {"equation",
                             "set",
                             "sensitivity",
                             "dt",
                             "dx",
                             "stepper",
                             "boundary",
                             "size",
                             "dtype",
                             "backend",
                             "threads"})
        add_setting(*models, name, "of --code: " + std::string(find_setting(name).help), words.settings);
    models->footer(list_functions());
}

int start_models(const ModelsWords& words) {
    if (!words.code) {
        if (words.settings.empty()) return models_command(words.name);
        throw InputError(fmt::format("--{} is of --code, the code that steps a model",
                                     words.settings.front().first->name));
    }
    RunSpec spec;
    if (!words.name.empty()) find_setting("model").set(spec, words.name);
    set_all(spec, words.settings);
    return code_command(std::move(spec));
}

// Reports the first word that was not understood, with the option or command nearest to it.
[[noreturn]] void refuse_word(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known = option_names(command);
    for (const CLI::App* sub : command.get_subcommands({})) known.push_back(sub->get_name());
    const std::string given = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(given, known);
    throw InputError(fmt::format("unknown {} '{}'{} (see --help)",
                                 word.starts_with('-') ? "option" : "word",
                                 given,
                                 nearest.empty() ? "" : fmt::format(": did you mean '{}'?", nearest)));
}

// Refuses options before a command: they would configure the window, which does not open.
void refuse_options_before(const CLI::App& app, const std::string& command) {
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0)
            throw InputError(fmt::format(
                "{0} before '{1}': options come after the command, as in 'stencilscope {1} {0} ...'",
                option->get_name(),
                command));
}

CLI::App& deepest_command(CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest_command(*chosen.front());
}

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// Filled by the options of all commands.
struct Requests {
    RunWords run, window_run;
    WindowRequest window;
    DevicesRequest devices;
    VerifyRequest verify;
    SettingWords device_words;
    BenchWords bench;
    ModelsWords models;
    ExampleWords example;
    std::string options_format;
};

}  // namespace

std::function<int()> read_command_line(int argc, const char* const* argv) {
    CLI::App app("Stencilscope: a 2D diffusion and stencil laboratory", "stencilscope");
    app.set_version_flag("--version", version_text);
    app.description(
        "Stencilscope: a 2D diffusion and stencil laboratory. Without a subcommand it opens its window; "
        "'stencilscope run --out DIR' runs headless.");
    const auto all = std::make_shared<Requests>();  // kept alive by the command that is returned
    add_settings(app, all->window_run);
    add_processes(app);
    add_device(app);
    add_window_options(app, all->window);
    add_run(app, all->run);
    all->bench.add_to(app);
    add_verify(app, all->verify);
    add_devices(app, all->devices, all->device_words);
    add_models(app, all->models);
    all->example.add_to(app);
    app.add_subcommand("options", "All options, as a manual page or as what a shell completes")
        ->add_option("--format", all->options_format, "man, bash, zsh or fish")
        ->type_name("NAME")
        ->required();
    app.add_subcommand("kernel-trial")->group("");  // hidden: bench --kernel starts it as a child process
    app.require_subcommand(0, 1);
    app.allow_extras();
    for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
    try {
        app.parse(cli_words({argv + std::min(argc, 1), argv + argc}));
    } catch (const CLI::Success& help_or_version) {
        app.exit(help_or_version);
        return [] { return 0; };
    } catch (const CLI::ParseError& error) {
        throw InputError(one_line(error.what()));
    }
    const auto chosen = app.get_subcommands();
    CLI::App& command = deepest_command(app);
    const auto left = command.remaining();
    if (!left.empty()) refuse_word(command, left.front());
    if (!chosen.empty()) refuse_options_before(app, chosen.front()->get_name());
    if (chosen.empty()) return [all] { return start_window(all->window_run, all->window); };
    const std::string name = chosen.front()->get_name();
    if (name == "models") return [all] { return start_models(all->models); };
    if (name == "example") return all->example.command();
    if (name == "options")
        return [text = options_text(app, all->options_format)] {
            print_text(text);
            return 0;
        };
    if (name == "kernel-trial") return user_kernel::trial_child;
    if (name == "bench") return [all] { return all->bench.run(); };
    if (name == "verify") return [all] { return verify_command(all->verify); };
    if (name == "devices")
        return [all] {
            set_all(all->devices.spec, all->device_words);
            return devices_command(all->devices);
        };
    return [all] { return start_run(all->run); };
}

}  // namespace stencil
