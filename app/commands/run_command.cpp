#include "app/commands/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/launch.h"
#include "app/own_folder.h"
#include "app/progress_bar.h"
#include "app/run_options.h"
#include "sim/distributed/distributed_solver.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/machine/roofline.h"
#include "sim/model/equations.h"
#include "sim/model/time_step.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/advance.h"
#include "sim/run/choose_method.h"
#include "sim/run/finite_watch.h"
#include "sim/run/limit_watch.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/film.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/output/measures.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/run/stop_condition.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

// Seconds of steps from which a run on the CPU also measures what a copy reaches, which takes up to a second
// and the memory of large arrays. On a GPU it takes milliseconds.
constexpr double kWorthMeasuring = 0.1;

struct RunRequest {
    RunSpec spec;
    std::string out;        ///< folder for the exports; empty: none are written
    std::string json;       ///< file for the timings; empty: none
    std::string spec_file;  ///< file that the spec was read from; empty: none
    /// Folder of an earlier run whose checkpoint to resume; empty: start a new run.
    std::string resume;
    std::vector<std::pair<std::string, std::string>> given;  ///< settings given on the command line, by name
    FilmRequest film;                                        ///< without a file: no film
    bool replace = false;                                    ///< also another run's results
    bool compare = false;                                    ///< compares with a run at half the time step
    bool quiet = false;
};

bool asked_for_auto(const RunRequest& request) {
    return request.resume.empty() && request.spec.method == "auto";
}

void print_notices(const RunRequest& request, const RunSpec& resolved, const Machine& machine) {
    const bool fell_back =
        asked_for_auto(request) && request.spec.backend == "auto" && resolved.backend == "cpu";
    if (fell_back && machine.cuda.built_in)
        note("note: {}: using the CPU\n",
             machine.has_cuda() ? why_not_compiled(resolved) : machine.cuda.why_none);
    if (asked_for_auto(request))
        if (const auto& figures = measured_figures(method_request(resolved).device); !figures.trouble.empty())
            note("note: {}: going by the built-in figures\n", figures.trouble);
    for (const std::string& told : notes_of(resolved)) note("note: {}\n", told);
    if (resolved.global_every > 1)
        note("note: --global-every {}: {}\n",
             resolved.global_every,
             resolved.model->equations->has_global_values()
                 ? "values of the whole field lag in the steps between"
                 : "the model has no values of the whole field");
    if (resolved.threads < request.spec.threads)
        note("note: --threads {}: only {} are used\n", request.spec.threads, resolved.threads);
    const auto late = std::ranges::count_if(resolved.edits,
                                            [&](const Event& event) { return event.step > resolved.steps; });
    if (late > 0)
        note("note: --at: {} change{} beyond the last step, {}, and left out\n",
             late,
             late == 1 ? " is" : "s are",
             resolved.steps);
    const auto bound = resolved.stability();
    if (!bound) return;
    const std::string& name = bound->parameter->name;
    if (bound->value == bound->largest)
        note(
            "note: at {} {} the checkerboard mode never decays and comes to dominate the Laplacian; {} is "
            "free "
            "of it\n",
            name,
            bound->value,
            0.8 * bound->largest);
    if (bound->exceeded())
        note("note: {} {} is above the stability limit {}\n", name, bound->value, bound->largest);
}

// A run in progress, with everything that its checkpoint stores.
struct Run {
    Simulation simulation;
    MeasuresOf measures;
    FrameWriter frames;
    fs::path out;
    Descriptor lock;                        ///< locks `out` against other processes
    std::unique_ptr<FilmWriter> film = {};  ///< null: no film
    FiniteWatch watch = {};
    std::string ended_by = {};  ///< what ended the run, in the words of RunReport

    WrittenStart written = {};  ///< the start's files that the last checkpoint wrote

    PowerMeter power{std::nullopt};
    long long power_steps = 0;

    void save() {
        const RunCheckpoint checkpoint{
            simulation.outline(), measures, frames.progress(), &simulation.solver()};
        write_checkpoint(out, checkpoint, &written);
    }
};

// The number of steps if the ending tells it; 0 if only a condition ends the run.
long long expected_steps(const Simulation& simulation) {
    const RunSpec& spec = simulation.now();
    if (!spec.time) return spec.open() ? 0 : spec.steps;
    const double left = std::ceil((*spec.time - simulation.time()) / simulation.next_dt());
    return static_cast<long long>(
        std::min(double(simulation.step()) + std::max(left, 0.0), double(spec.steps)));
}

// Returns what ended the run, in the words of RunReport.
std::string step_to_the_end(Run& run, bool quiet) {
    Simulation& simulation = run.simulation;
    const RunSpec& spec = simulation.now();
    const bool series = exports_any(spec, kSeries | kRows);
    const double cells = method_of(spec)->jumps ? 0 : double(spec.size->nx) * spec.size->ny;
    ProgressBar bar(cells, quiet);
    const auto look = [&](Simulation&) {
        if (run.frames.wanted()) run.frames.write(simulation);
        if (series) add_measures(run.measures, simulation);
    };
    long long saved_at = -1;
    const auto save = [&](Simulation&) {
        run.save();
        saved_at = simulation.step();
    };
    constexpr long long kUsualMoments = 256;
    const Interval moments = spec.every.given() || !exports_any(spec, kRows)
                                 ? spec.every
                                 : Interval(std::max(1LL, expected_steps(simulation) / kUsualMoments));
    StopCondition condition(spec.until);
    LimitWatch limit;
    limit.begin(simulation);
    const auto look_at_limit = [&](bool at_once) {
        if (const std::string told = limit.look(simulation, at_once); !told.empty()) note("note: {}\n", told);
    };
    std::vector<Observer> observers{
        after_slices([&](Simulation&) { look_at_limit(false); }),
        after_slices([&](Simulation&) {
            bar.show(simulation.step(), expected_steps(simulation), simulation.timings().total_seconds());
        }),
        at_multiples(moments, look),
        condition.observer(),
        at_multiples(spec.checkpoint, save)};
    if (run.film) observers.insert(observers.end() - 1, run.film->observer());
    Until until{.step = spec.steps,
                .stops = [&] { return interrupt_signal() != 0 || condition.met(); },
                .watch = spec.allow_overflow ? nullptr : &run.watch};
    if (spec.time) until.time = end_time(simulation, *spec.time);
    const long long expected = expected_steps(simulation);
    simulation.expect((expected > 0 ? expected : kMaxSteps) - simulation.step());
    if (simulation.step() == 0) look(simulation);
    if (run.film) run.film->look(simulation);
    condition.begin(simulation);
    if (until.watch) until.watch->begin(simulation);
    advance(simulation, until, observers, kLongSlices);
    look_at_limit(true);
    if (run.watch.found()) return "not finite";
    const RunClock end = clock_of(simulation);
    const bool by_time = spec.time && is_at(end.time, until.time, end.dt);
    // Rows recorded only because the run ends here are not in the checkpoint: a longer run would lack them.
    const bool ends = by_time || condition.met() || end.step >= spec.steps;
    if (!ends && spec.checkpoint.given() && saved_at != end.step) run.save();
    if (ends && end.step > 0 && !falls_on(moments, end)) look(simulation);
    if (by_time && std::abs(end.time - *spec.time) > kSameTime * end.dt)
        note("note: --time {}: the nearest step is at t = {}\n", *spec.time, end.time);
    return condition.met() ? "until" : by_time ? "time" : ends ? "steps" : "interrupt";
}

bool wants_timings(const RunRequest& request, const RunSpec& spec) {
    return exports_any(spec, kSpeed) || !request.json.empty() || !request.quiet;
}

// Without --out nothing is exported, even if the spec file lists exports.
RunSpec asked_for(const RunRequest& request) {
    RunSpec spec = request.spec;
    if (request.out.empty()) {
        spec.every = Interval();
        spec.exports.clear();
    }
    if (spec.model->equations->steady) static_cast<Ending&>(spec) = {0};
    return spec;
}

// Throws InputError if a run cannot be compared: it has no time step, random numbers, or scheduled changes.
void require_comparable(const RunSpec& spec) {
    const auto* equations = spec.model->equations.get();
    for (const auto& component : equations->components) {
        if (!component.rate) throw InputError("--compare dt/2: the model gives the next value outright");
        if (equations->graph.depends(component.formula).random)
            throw InputError("--compare dt/2: the model's random numbers differ from step to step");
    }
    if (!spec.edits.empty()) throw InputError("--compare dt/2: the run has changes on its way (--at)");
    if (is_adaptive(spec.dt))
        throw InputError("--compare dt/2: dt follows the limit: give a fixed --dt, e.g. 0.01 or 0.8limit");
}

// The error of the time step: the relative 2-norm per component of the difference from the same run at half
// the step.
std::vector<std::pair<std::string, double>> step_errors(Simulation& run) {
    RunSpec spec = run.spec();
    spec.dt = FixedStep{spec.time_step() / 2};
    spec.every = spec.checkpoint = Interval();
    spec.edits = {};
    spec.dt_log = {};  // it may shorten the last step
    check_solver_memory(spec, query_machine());
    Simulation half(spec, run.start());
    half.apply(Advance{kMaxSteps, run.time(), true});
    std::vector<std::pair<std::string, double>> errors;
    for (const Component& component : spec.model->components) {
        run.solver().set_base(half.solver(), component.name);
        const double norm = run.solver().norm(Quantity::base);
        const double difference = run.solver().norm({component.name, Quantity::difference});
        errors.emplace_back(component.name, norm > 0 ? difference / norm : 0);
    }
    return errors;
}

// Writes the exports and reports at the end.
void finish(const RunRequest& request, Run& run, const Machine& machine) {
    Simulation& simulation = run.simulation;
    const RunSpec& spec = simulation.now();
    const bool spread = simulation.solver().processes() > 1;
    RunOutput output = run_output(simulation, !spread || exports_any(spec, kCells));
    if (spread) output.spread = &simulation;
    RunReport report = make_report(simulation, output.fields, machine);
    if (asked_for_auto(request)) report.method_choice = method_choice(spec);
    report.ended_by = run.ended_by;
    report.power = run.power.use();
    report.power_steps = run.power_steps;
    if (request.compare) report.step_errors = step_errors(simulation);
    const Device device = method_of(report.spec)->device;
    if (wants_timings(request, spec) && has_speed(report))
        report.copy_gb_per_s = kept_copy_bandwidth(
            device,
            report.spec.threads,
            device_name(machine, device, report.spec.threads),
            (device == Device::cuda || report.timings.total_seconds() >= kWorthMeasuring) &&
                bytes_to_measure_copies(device) <= spec.memory_limit / 2);
    if (const ExecutionPath way = simulation.solver().way(); !way.why_not.empty())
        note("note: {}, not faster: {}\n", way.name, way.why_not);
    if (report.spec.drawn_arrows() != report.spec.arrows)
        note("note: no arrows of {}: the equation at the end has other components\n", report.spec.arrows);
    if (report.not_finite > 0) note("note: {} cells of the field are no longer finite\n", report.not_finite);
    if (stays_zero(report))
        note("note: the field is 0 everywhere and stays so: give it a start, such as `{}(0) = random`\n",
             spec.model->components.front().name);

    for (const auto& [formula, values] : report.components)
        if (!request.out.empty() && spec.coloring(formula).range.scale == Scale::log && !(values.max > 0))
            note("note: --range log: no value of {} is above 0, so its colours show nothing\n", formula);

    WrittenFiles written;
    std::vector<std::string> failures;
    try {
        if (run.film) run.film->finish();
        if (const std::string other = run.film ? run.film->note() : ""; !other.empty())
            note("note: {}\n", other);
    } catch (const MachineError& error) {  // the other results are kept
        failures.emplace_back(error.what());
    }
    const auto timings = to_json(report);
    if (!request.out.empty()) {
        make_folder(request.out, "out");  // recreates it if it was removed during the run
        output.timings = timings;
        if (exports_any(spec, kSeries | kEndTables | kRows))
            add_tables(output, simulation.solver(), std::move(run.measures));
        written = write_exports(request.out, output);
    }
    if (!request.json.empty()) write_text_file(request.json, json_text(timings), Links::followed);
    run.frames.finish(simulation);
    failures.insert(failures.end(), written.failures.begin(), written.failures.end());
    if (!failures.empty()) throw MachineError(failures.front());
    if (request.quiet) return;
    print_text(to_text(report));
    std::vector<fs::path>& files = written.files;
    if (!request.json.empty()) files.emplace_back(request.json);
    if (run.film) files.push_back(run.film->path());
    print_written(files);
    if (run.frames.count() > 0)
        print("wrote {} frames to {}\n", run.frames.count(), run.frames.folder().string());
    if (files.empty()) print("nothing was written; --out DIR exports pictures, arrays and timings\n");
}

// Makes and locks the output folders before the work begins, so that problems show early.
Descriptor take_places(const RunRequest& request, const RunSpec& spec, Descriptor lock = Descriptor()) {
    if (!request.out.empty()) make_folder(request.out, "out");
    if (!request.out.empty() && !lock) lock = lock_folder(request.out, "out");
    if (spec.every.given()) make_inner_folder(fs::path(request.out) / "frames", "out");
    if (request.out.empty()) return lock;
    for (const std::string& name : export_files(spec))
        require_writable(fs::path(request.out) / name, Given{"out"});
    return lock;
}

Run make_run(const RunRequest& request, Simulation simulation, RunCheckpoint&& from, Descriptor lock) {
    FrameWriter frames(fs::path(request.out) / "frames", simulation.now(), from.frames);
    return {std::move(simulation), std::move(from.measures), std::move(frames), request.out, std::move(lock)};
}

std::shared_ptr<const RowSource> start_of_run(RunSpec& spec) {
    auto recipe = start_in_place(spec);
    return recipe ? recipe : in_memory(make_start(spec));
}

Run begin(RunRequest& request, const Machine& machine) {
    RunSpec spec = resolve(asked_for(request), machine);
    spec.require_formula(spec.show);
    spec.require_arrows();
    require_condition(*spec.model, spec.until);
    print_notices(request, spec, machine);
    check_resources(spec, machine);
    if (request.compare) require_comparable(spec);
    if (!request.film.file.empty()) check_film(request.film);
    std::vector<std::string> inputs = start_files(spec);
    const bool from_files = !inputs.empty();
    inputs.push_back(request.spec_file);
    check_json_file(request.json, request.out, inputs);
    // Files are read before the folder is made, so that a damaged one leaves nothing behind; a generated
    // initial condition may take long, so it is made after.
    std::shared_ptr<const RowSource> start;
    // Whose results are in the folder is known once the run has decided its time step.
    const bool occupied = !request.replace && holds_results(request.out);
    if (from_files || occupied) start = start_of_run(spec);
    std::optional<Simulation> simulation;
    if (occupied) {
        simulation.emplace(spec, start);
        request.out = own_folder(request.out, [own = problem_of(simulation->spec())](const auto& file) {
            return problem_of(read_spec(file)) == own;
        });
    }
    Descriptor lock = take_places(request, spec);
    if (!start) start = start_of_run(spec);
    if (!simulation) simulation.emplace(spec, std::move(start));
    RunCheckpoint from;
    from.measures = make_measures(spec);
    Run run = make_run(request, std::move(*simulation), std::move(from), std::move(lock));
    // Remove frames and checkpoint of an earlier run, which would be taken for this run's.
    if (spec.every.given()) run.frames.remove_later(-1);
    if (!request.out.empty()) remove_checkpoint(request.out);
    return run;
}

Run resume(const RunRequest& request, const Machine& machine) {
    // Lock before reading: a run that holds the lock is about to replace the checkpoint.
    Descriptor source = lock_folder(request.resume, "resume");
    RunCheckpoint from = read_checkpoint(request.resume);
    take_over(from, request.given, machine);
    const RunSpec spec = from.run.document();
    if (request.compare) require_comparable(spec);
    print_notices(request, from.run.now, machine);
    check_exports(spec);
    if (!request.film.file.empty()) check_film(request.film);
    require_memory(run_needs(from.run.now),
                   memory_limits(machine, from.run.now.memory_limit),
                   {from.run.now.size->nx, from.run.now.size->ny});
    check_json_file(request.json, request.out, {});
    std::error_code other;
    const bool same_folder = fs::equivalent(request.out, request.resume, other);
    Descriptor lock = take_places(request, spec, same_folder ? std::move(source) : Descriptor());
    require_condition(*from.run.now.model, spec.until);
    if (!request.quiet)
        note("note: going on from step {}{}\n",
             from.run.solver.plain.step,
             spec.open() ? "" : fmt::format(" of {}", spec.steps));
    Simulation simulation(std::move(from.run));
    Run run = make_run(request, std::move(simulation), std::move(from), std::move(lock));
    if (!same_folder) remove_checkpoint(request.out);
    // Remove the frame at the end of the earlier run if its step is no multiple of `every`.
    const Interval& every = run.simulation.now().every;
    const RunClock now = clock_of(run.simulation);
    if (every.given()) run.frames.remove_later(falls_on(every, now) ? now.step : now.step - 1);
    return run;
}

void begin_film(const RunRequest& request, Run& run) {
    if (request.film.file.empty()) return;
    const RunSpec& spec = run.simulation.now();
    const FilmPace pace = film_pace(request.film, clock_of(run.simulation), spec, request.spec.every);
    run.film = std::make_unique<FilmWriter>(request.film, pace);
}

int run_command(RunRequest request) {
    const Machine machine = query_machine();
    Run run = request.resume.empty() ? begin(request, machine) : resume(request, machine);
    begin_film(request, run);
    watch_for_interrupts();  // earlier there is nothing to export, so a signal may end the program at once
    const bool on_gpu = method_of(run.simulation.now())->device == Device::cuda;
    run.power = PowerMeter(on_gpu ? std::optional(machine.gpu()) : std::nullopt);
    const long long first_step = run.simulation.step();
    const auto began = std::chrono::steady_clock::now();
    run.power.start();
    run.ended_by = step_to_the_end(run, request.quiet);
    run.power.stop(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    run.power_steps = run.simulation.step() - first_step;
    finish(request, run, machine);
    const std::string where = request.out.empty() ? "" : "; what was done until then is in " + request.out;
    if (const auto& found = run.watch.found()) {
        note("stencilscope: {}{}; --{} goes on\n", found->text(), where, setting_name::allow_overflow);
        return 1;
    }
    if (run.ended_by != "interrupt") return 0;
    const RunSpec& spec = run.simulation.now();
    const std::string of = spec.open() ? "" : fmt::format(" of {}", spec.steps);
    note("stencilscope: interrupted after {}{} steps{}\n", run.simulation.step(), of, where);
    return 128 + interrupt_signal();
}

// Adds options that fill `film`; no film is made if its file stays empty.
void add_film_options(CLI::App& command, FilmRequest& film) {
    const auto add = [&](const char* name, const char* value, std::string help, auto set) {
        add_text(command, name, value, std::move(help), [&film, set](const std::string& text) {
            set(film, text);
        })->group("Film");
    };
    add("video",
        "FILE",
        "a film, .mp4, .webm or .gif, by ffmpeg where it is installed: a frame each --every, or 300 "
        "in all",
        [](FilmRequest& f, const std::string& text) {
            check_video_name(text);
            f.file = text;
        });
    add("fps",
        "N",
        "frames per second of the film (default 30)",
        [](FilmRequest& f, const std::string& text) { f.fps = parse_fps(text); });
    add("video-of",
        "field|figure",
        "one pixel per cell without axes (default), or with axes, colour bar and title",
        [](FilmRequest& f, const std::string& text) {
            const std::vector<std::string> known{"field", "figure"};
            if (!contains(known, text))
                throw InputError("--video-of: " + unknown_name_message("film", text, known));
            f.figure = text == known[1];
        });
    std::string ranges = "range of its colours (default canvas): MIN:MAX";
    for (const FilmRange& row : film_ranges()) ranges += fmt::format("; {}: {}", row.name, row.help);
    add("video-range", "NAME|MIN:MAX", ranges, [](FilmRequest& f, const std::string& text) {
        f.range = read_film_range(text);
    });
    add("video-seconds",
        "S",
        "its length: S times --fps frames, evenly over the run, instead of one each --every",
        [](FilmRequest& f, const std::string& text) {
            f.seconds = parse_real(text, "video-seconds");
            if (f.seconds <= 0 || f.seconds > kMostFilmSeconds)
                throw InputError(
                    "--video-seconds {}: must be above 0 and at most {}", quotable(text), kMostFilmSeconds);
        });
    add("video-size",
        "WxH",
        "its pixels, with the picture as large as fits on white (default: whole multiples of the cells; "
        "1200 wide for figures)",
        [](FilmRequest& f, const std::string& text) {
            const Size size = read_film_size(text);
            f.width = size.nx;
            f.height = size.ny;
        });
}

// The options of the command.
struct Words {
    RunWords run;
    RunRequest request;
};

RunRequest request_of(const Words& words) {
    RunRequest request = words.request;
    const FilmRequest& film = request.film;
    if (film.file.empty() && film != FilmRequest())
        throw InputError("--fps and --video-... need --video FILE, the film");
    if (request.resume.empty()) {
        request.spec = words.run.spec();
        request.spec_file = words.run.spec_file;
        return request;
    }
    if (!words.run.spec_file.empty()) throw InputError("--resume takes its settings along: leave --spec out");
    for (const auto& [setting, text] : words.run.settings) request.given.emplace_back(setting->name, text);
    if (request.out.empty()) request.out = request.resume;
    return request;
}

int start_run(const Words& words) {
    const RunRequest request = request_of(words);
    for (const std::string_view name :
         {setting_name::exports, setting_name::every, setting_name::checkpoint}) {
        if (!request.film.file.empty() && name == setting_name::every) continue;
        if (request.out.empty() && words.run.has(name))
            throw InputError("--{} needs --out DIR, the folder to write to", name);
    }
    return run_command(request);
}

}  // namespace

void add_run(CLI::App& app, ChosenCommand& chosen) {
    const auto all = std::make_shared<Words>();
    Words& words = *all;
    CLI::App* run = app.add_subcommand("run", "Step a field and export pictures, arrays and timings");
    add_settings(*run, words.run);
    add_processes(*run);
    add_folder(*run, "out", "folder for the files", words.request.out);
    add_folder(*run,
               "resume",
               "go on from the newest checkpoint of the run in this folder, up to --steps, counted from its "
               "start, --time or --until; "
               "--out is the same folder unless given",
               words.request.resume);
    run->add_flag("--replace",
                  words.request.replace,
                  "write over the results of another run in --out, which otherwise stay: these go to DIR-2");
    add_text(*run,
             "compare",
             "dt/2",
             "also run with half the time step, and tell how far that is: the error of the steps",
             [&words](const std::string& text) {
                 if (text != "dt/2") throw InputError("--compare {}: must be dt/2", quotable(text));
                 words.request.compare = true;
             });
    add_film_options(*run, words.request.film);
    add_results(*run, words.request.json, words.request.quiet);
    run->final_callback([all, &chosen] { chosen = [all] { return start_run(*all); }; });
}

}  // namespace stencil
