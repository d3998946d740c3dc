#include "app/commands/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/run_options.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/fit/fit.h"
#include "sim/fit/fit_report.h"
#include "sim/fit/fit_words.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

struct FitRequest {
    RunWords run;
    fitting::FitWords words;
    fitting::StopRules rules;
    bool differences = false, quiet = false;
    std::string out;   ///< folder for the files; empty: none are written
    std::string json;  ///< file for the result; empty: none
};

fitting::Fit fit_of(const FitRequest& request) {
    for (const std::string_view name :
         {setting_name::exports, setting_name::every, setting_name::checkpoint, setting_name::bookmark})
        if (request.run.has(name)) throw InputError("--{}: a fit writes its own files, to --out", name);
    fitting::FitSpec spec = read_fit(request.run.spec(), request.words);
    spec.rules = request.rules;
    spec.differences = request.differences;
    return fitting::Fit(std::move(spec), query_machine());
}

int fit_command(const FitRequest& request) {
    check_json_file(request.json, request.out, request.words.targets);
    fitting::Fit found = fit_of(request);
    if (!request.out.empty()) {
        make_folder(request.out, "out");
        for (const std::string& name : fitting::fit_files())
            require_writable(std::filesystem::path(request.out) / name, Given{"out"});
    }
    watch_for_interrupts();
    found.residuals().stops = [] { return interrupt_signal() != 0; };
    const std::string& why = found.residuals().why_differences();
    if (!why.empty() && !request.differences)
        note("note: the derivatives are differences of runs, as the model has no sensitivities: {}\n", why);
    try {
        for (std::size_t shown = 0; !found.done();) {
            found.work();
            const std::size_t number = found.iterations().size();
            if (request.quiet || number == std::exchange(shown, number)) continue;
            if (number == 1) print_text(fitting::head_text(found.parameters()));
            if (number > 0)
                print_text(fitting::row_text(found.iterations().back(), number, found.residuals().count()));
        }
    } catch (const fitting::Stopped&) {
    }
    const fitting::Result result = found.result();
    std::vector<std::filesystem::path> files;
    if (!request.out.empty() && result.evaluations > 0) files = fitting::write_fit(request.out, found);
    if (!request.json.empty()) {
        write_text_file(request.json, json_text(to_json(result)), Links::followed);
        files.emplace_back(request.json);
    }
    if (!request.quiet) {
        print_text("\n" + to_text(result));
        print_written(files);
    }
    if (!found.done()) {
        note("stencilscope: interrupted after {} evaluations\n", result.evaluations);
        return 128 + interrupt_signal();
    }
    if (!result.success && request.quiet) note("stencilscope: {}\n", result.message);
    return result.success ? 0 : 1;
}

}  // namespace

void add_fit_words(CLI::App& app, fitting::FitWords& words, const std::string& group) {
    const auto in_group = [&](CLI::Option* option) {
        if (!group.empty()) option->group(group);
    };
    in_group(add_texts(
        app,
        "target",
        "[FORMULA=]FILE[@TIME]",
        "values that the run should have: an array or picture of a formula (default: what is shown) at a "
        "time (default: the end), or a table with a column t or step, and x and y for points; may be "
        "repeated",
        [&words](const std::string& text) { words.targets.push_back(text); }));
    in_group(add_texts(app,
                       "fit",
                       "NAME[=START[:LOW:HIGH]][:log]",
                       "a parameter to find, from START (default: its value) within bounds, by its "
                       "logarithm; may be repeated",
                       [&words](const std::string& text) { words.parameters.push_back(text); }));
    in_group(add_text(app,
                      "noise",
                      "S[,S...]",
                      "standard deviation of the targets' values, of all or of each target (default: "
                      "estimated)",
                      [&words](const std::string& text) {
                          for (const std::string& word : split(text, ','))
                              words.noise.push_back(parse_real(word, "noise"));
                      }));
}

void add_fit(CLI::App& app, ChosenCommand& chosen) {
    const auto all = std::make_shared<FitRequest>();
    FitRequest& request = *all;
    CLI::App* command = app.add_subcommand(
        "fit", "Find the parameters by which a run has given values, with their standard errors");
    add_fit_words(*command, request.words);
    add_text(*command,
             "evaluations",
             "N",
             "the most evaluations (default 50)",
             [&request](const std::string& text) {
                 request.rules.most_iterations = int(parse_integer(text, "evaluations", 1, 100000));
             });
    command->add_flag("--differences",
                      request.differences,
                      "take differences of runs in place of sensitivities, which are exact");
    add_settings(*command, request.run);
    add_folder(*command, "out", "folder for the files", request.out);
    add_results(*command, request.json, request.quiet);
    command->final_callback([all, &chosen] { chosen = [all] { return fit_command(*all); }; });
}

}  // namespace stencil
