#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/launch.h"
#include "app/own_folder.h"
#include "app/progress_bar.h"
#include "app/run_options.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/machine/communicator.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/sweep/sweep_files.h"
#include "sim/sweep/sweep_table.h"
#include "sim/sweep/sweep_team.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

struct SweepRequest {
    SweepSpec sweep;
    std::string out, json;
    std::vector<const SweepFile*> files;
    bool replace = false, quiet = false;
};

// Settings of files that a single run writes; a sweep writes none of them.
constexpr std::array<std::string_view, 6> kLeftOut{setting_name::exports,
                                                   setting_name::every,
                                                   setting_name::checkpoint,
                                                   setting_name::probe,
                                                   setting_name::profile,
                                                   setting_name::bookmark};

bool is_same_sweep(const SweepSpec& a, const SweepSpec& b) {
    return problem_of(a.base) == problem_of(b.base) && a.vary == b.vary && a.observe == b.observe &&
           a.listed == b.listed;
}

SweepSpec read_sweep(const std::string& file) {
    return sweep_from_json(InputFile(file).read_text(), file);
}

nlohmann::ordered_json report_of(const Sweep& sweep, double seconds) {
    nlohmann::ordered_json json = program_json(), runs = nlohmann::ordered_json::array();
    json["runs"] = sweep.count();
    json["seconds"] = seconds;
    const auto columns = sweep_columns(sweep);
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        nlohmann::ordered_json row;
        const SweepSpec& spec = sweep.spec();
        for (std::size_t axis = 0; axis < spec.vary.size(); ++axis)
            row[spec.vary[axis].name] = spec.value(i, axis);
        row["status"] = sweep.run(i).status;
        for (const SweepColumn& column : columns) row[column.name] = finite_or_null(column.values[i]);
        row["field_hash"] = sweep.run(i).field_hash;
        runs.push_back(row);
    }
    json["table"] = runs;
    return json;
}

// The steps of all runs: their seconds, and how many cells were stepped.
struct Stepped {
    double seconds = 0, cells = 0;
};
Stepped stepped_by(const Sweep& sweep) {
    const Size size = *sweep.resolved().size;
    const double cells = double(size.nx) * size.ny;
    Stepped sum;
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        sum.seconds += sweep.run(i).seconds;
        sum.cells += cells * double(sweep.run(i).steps);
    }
    return sum;
}

// Says how long the steps that a GPU made of all runs together took, and their speed; empty where each run
// was stepped for itself.
std::string speed_of(const Sweep& sweep, const Stepped& known) {
    const bool one_size = std::ranges::none_of(
        sweep.spec().vary, [](const Vary& axis) { return axis.name == setting_name::size; });
    if (sweep.way().empty() || !one_size) return "";
    const Stepped all = stepped_by(sweep);
    const double seconds = all.seconds - known.seconds;
    if (!(seconds > 0)) return "";
    return fmt::format(": {:.3g} s for steps, {:.4g} GCells/s with the copies to and from the GPU ({})",
                       seconds,
                       (all.cells - known.cells) / seconds / 1e9,
                       sweep.way());
}

// Tells of the runs that are not done, one line for each reason.
void note_failures(const Sweep& sweep) {
    std::map<std::string, std::vector<std::size_t>> reasons;
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        const std::string& status = sweep.run(i).status;
        if (sweep.run(i).ended() && !sweep.run(i).is_done())
            reasons[status.substr(0, status.find_first_of(":0123456789"))].push_back(i);
    }
    for (const auto& [reason, runs] : reasons)
        note("note: {} of {} runs are not done, such as {}: {}\n",
             runs.size(),
             sweep.count(),
             sweep.spec().name(runs.front()),
             sweep.run(runs.front()).status);
}

int run_sweep(SweepRequest request) {
    Communicator::share_no_fields();
    const Machine machine = query_machine();
    request.sweep.validate();  // names of columns need a model
    request.sweep = with_map_observed(std::move(request.sweep));
    Sweep sweep(request.sweep, machine);
    Descriptor lock;
    std::optional<SweepStore> store;
    std::size_t known = 0;
    if (!request.out.empty()) {
        if (!request.replace && holds_results(request.out))
            request.out = own_folder(request.out, [&](const std::string& file) {
                return is_same_sweep(read_sweep(file), request.sweep);
            });
        check_json_file(request.json, request.out, {});
        make_folder(request.out, "out");
        lock = lock_folder(request.out, "out");
        for (const SweepFile* row : request.files)
            require_writable(fs::path(request.out) / row->file, Given{"out"});
        const fs::path spec = fs::path(request.out) / "spec.json";
        std::error_code ignored;
        bool same = false;
        try {
            same = fs::exists(spec, ignored) && is_same_sweep(read_sweep(spec.string()), request.sweep);
        } catch (const InputError&) {
        }
        if (!same) fs::remove(fs::path(request.out) / "runs.jsonl", ignored);
        write_sweep_spec(request.out, request.sweep);
        store.emplace(request.out, sweep, needs_fields(request.files, request.sweep.map));
        known = store->give_to(sweep);
        if (known > 0 && !request.quiet)
            note("note: {} of {} runs are there already\n", known, sweep.count());
        sweep.on_measured = [&](std::size_t index, Simulation& simulation) {
            store->add_fields(index, simulation);
        };
        sweep.on_end = [&](std::span<const std::size_t> runs) { store->add(sweep, runs); };
    }
    watch_for_interrupts();
    const Stepped known_steps = stepped_by(sweep);
    const auto began = std::chrono::steady_clock::now();
    {
        ProgressBar bar(0, request.quiet, "runs");
        SweepTeam team(sweep, request.sweep, store ? &*store : nullptr);
        while (!sweep.is_done() && interrupt_signal() == 0) {
            team.exchange();
            sweep.advance();
            bar.show(static_cast<long long>(sweep.ended() - known),
                     static_cast<long long>(sweep.count() - known),
                     0);
        }
        team.finish();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::vector<fs::path> files;
    if (store) {
        const SweepResults results{sweep, *store, request.sweep.map};
        files = write_sweep_files(request.out, request.files, results);
        store->finish(std::ranges::any_of(request.files, [](const auto* row) { return !row->write; }));
    }
    if (!request.json.empty()) {
        write_text_file(request.json, json_text(report_of(sweep, seconds)), Links::followed);
        files.emplace_back(request.json);
    }
    note_failures(sweep);
    if (!request.quiet) {
        if (request.out.empty())
            print_text(sweep_csv(sweep));
        else
            print("{} runs in {:.3g} s{}\n", sweep.ended() - known, seconds, speed_of(sweep, known_steps));
        print_written(files);
    }
    if (interrupt_signal() == 0) return 0;
    note("stencilscope: interrupted after {} of {} runs{}\n",
         sweep.ended(),
         sweep.count(),
         request.out.empty() ? "" : "; the same command goes on with the others");
    return 128 + interrupt_signal();
}

// The options of the command.
struct SweepWords {
    RunWords run;
    std::vector<std::string> vary;
    std::string exports = "default";
    SweepRequest request;
};

int start_sweep(const SweepWords& words) {
    SweepRequest request = words.request;
    SweepSpec& sweep = request.sweep;
    const SweepSpec given = sweep;
    const std::string& file = words.run.spec_file;
    const std::string given_text = named_text(file);
    const bool repeats = is_sweep(given_text);
    if (repeats) {
        sweep = sweep_from_json(given_text, file);
        set_all(sweep.base, words.run.settings);
        sweep.observe.insert(sweep.observe.end(), given.observe.begin(), given.observe.end());
        if (!given.map.empty()) sweep.map = given.map;
    } else {
        sweep.base = words.run.spec();
    }
    if (repeats && !words.vary.empty()) sweep.vary.clear();
    for (const std::string& text : words.vary) {
        if (text.find('=') == text.npos && fs::path(text).has_extension()) {
            if (words.vary.size() > 1)
                throw InputError(Given{"vary", quotable(text)}, "a list of runs varies alone");
            sweep.vary = read_run_list(text);
            sweep.listed = true;
        } else {
            sweep.vary.push_back(parse_vary(text));
        }
    }
    request.files = parse_sweep_files(words.exports);
    if (request.out.empty() && (!given.map.empty() || words.exports != "default"))
        throw InputError("--export and --map need --out DIR, the folder to write to");
    return run_sweep(std::move(request));
}

std::string list_sweep_files() {
    std::string text = "Files of --export (* by default):\n";
    for (const SweepFile& row : sweep_files())
        text += fmt::format("  {:<4}{} {:<11} {}\n", row.name, row.standard ? "*" : " ", row.file, row.help);
    return text;
}

}  // namespace

void add_sweep(CLI::App& app, ChosenCommand& chosen) {
    const auto all = std::make_shared<SweepWords>();
    SweepWords& words = *all;
    CLI::App* sweep =
        app.add_subcommand("sweep", "Run a grid or a list of settings: tables and phase diagrams");
    add_texts(*sweep,
              "vary",
              "NAME=FROM:TO:COUNT",
              "a parameter, a setting, seed or the value at a side (left, top:v), evenly from FROM to TO; "
              "NAME=FROM:TO:COUNT:log: evenly in its logarithm; NAME=A,B,C: these; FILE.csv: a list of runs, "
              "whose first line has the names. Repeated: all combinations, the first along x",
              [&words](const std::string& text) { words.vary.push_back(text); });
    add_texts(*sweep,
              "observe",
              "FORMULA",
              "a value of the whole field at the end of each run, such as mean(v); may be repeated",
              [&words](const std::string& text) { words.request.sweep.observe.push_back(text); });
    add_folder(*sweep,
               "out",
               "folder for the files; the same command goes on with what is missing there",
               words.request.out);
    add_text(*sweep,
             "export",
             "LIST",
             "files to write, separated by commas (see below); default, all",
             [&words](const std::string& text) { words.exports = text; });
    add_text(*sweep,
             "map",
             "NAME",
             "pictures show this column of sweep.csv, or this formula, as a map with contours in place of "
             "the fields",
             [&words](const std::string& text) { words.request.sweep.map = text; });
    sweep->add_flag(
        "--replace",
        words.request.replace,
        "write over the results of another sweep in --out, which otherwise stay: these go to DIR-2");
    add_settings(*sweep, words.run, kLeftOut);
    add_results(*sweep, words.request.json, words.request.quiet);
    add_processes(*sweep, "the runs");
    sweep->footer(list_sweep_files());
    sweep->final_callback([all, &chosen] { chosen = [all] { return start_sweep(*all); }; });
}

}  // namespace stencil
