#include "app/commands/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/examples/context.h"
#include "sim/examples/report.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

struct ExampleOrder {
    ExampleRequest request;
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

// Prints rows as they are measured, with a header for each group.
Report work(const ExampleOrder& order, const Machine& machine) {
    ProgressLine progress(order.quiet);
    bool begun = false;
    std::size_t shown = 0;
    const auto show = [&](const Report& report) {
        if (order.quiet || (begun && shown == report.rows.size())) return;
        progress.clear();
        if (!begun) print_text(intro_text(report));
        begun = true;
        print_text(rows_text(report, shown));
        shown = report.rows.size();
    };
    ExampleWatch watch;
    watch.cancelled = [] { return interrupt_signal() != 0; };
    watch.progress = [&](double share, const std::string& doing) {
        if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * share, doing));
    };
    watch.news = show;
    Report report = run_example(order.request, machine, watch);
    show(report);
    return report;
}

void write_files(const ExampleOrder& order, const Report& report) {
    std::vector<fs::path> files(report.files.begin(), report.files.end());
    if (!order.request.out.empty())
        for (const fs::path& file : write_report(report, order.request.out)) files.push_back(file);
    if (!order.json.empty()) {
        write_text_file(order.json, json_text(to_json(report)), Links::followed);
        files.emplace_back(order.json);
    }
    if (!order.quiet) print_written(files);
}

// Returns the input files among the options.
std::vector<std::string> files_of(const OptionValues& options) {
    std::vector<std::string> files;
    for (const ExampleOption& option : options.options())
        if (option.kind == ExampleOption::Kind::file)
            for (std::string& file : options.all(option.name)) files.push_back(std::move(file));
    return files;
}

std::string list_examples() {
    std::string text;
    for (const Example& example : examples())
        text += fmt::format("  {:<12} {}\n", example.name, example.summary);
    return text;
}

int example_command(const ExampleOrder& order) {
    watch_for_interrupts();
    const Machine machine = query_machine();
    require_backend(order.request.backend(), machine);
    order.request.example->check(order.request);
    check_json_file(order.json, order.request.out, files_of(order.request.options));
    if (!order.request.out.empty()) make_folder(order.request.out, "out");
    const Report report = work(order, machine);
    if (!order.quiet) print_text(closing_text(report));
    write_files(order, report);
    if (interrupt_signal() != 0) {
        note("stencilscope: interrupted after {} measured rows\n",
             std::ranges::count_if(report.rows, &ReportRow::measured));
        return 128 + interrupt_signal();
    }
    const auto wrong = std::ranges::count_if(report.rows, &ReportRow::failed);
    const std::string& shortfall = report.shortfall;
    if (wrong > 0) note("stencilscope: {} of {} rows came out wrong\n", wrong, report.rows.size());
    if (!shortfall.empty()) note("stencilscope: {}\n", shortfall);
    return wrong > 0 || !shortfall.empty() ? 1 : 0;
}

std::string help_of(const ExampleOption& option, const Example& example) {
    std::string text(option.help), standard(option.standard);
    if (!option.choices.empty()) text += fmt::format(": {}", fmt::join(option.choices, ", "));
    if (option.kind == ExampleOption::Kind::dtypes)
        standard = example.dtypes.size() > 1 ? "both" : name_of(example.dtypes.front());
    if (standard.empty()) standard = option.unset;
    if (!standard.empty()) text += fmt::format(" (default {})", standard);
    return text;
}

void add_option(CLI::App& command, const ExampleOption& option, ExampleOrder& order) {
    const std::string name(option.name), help = help_of(option, *order.request.example);
    OptionValues& values = order.request.options;
    const auto set = [&values, name](const std::string& text) { values.set(name, text); };
    if (option.repeatable)
        add_texts(command, name, option.value, help, set);
    else
        add_text(command, name, option.value, help, set)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

using TakeOrder = std::function<void(const std::shared_ptr<ExampleOrder>&)>;

// Adds the command `example` with a subcommand for each example, which passes its request to `take`.
CLI::App* add_examples(CLI::App& app, const TakeOrder& take) {
    CLI::App* group =
        app.add_subcommand("example", "Run one of the classic workloads on the CPU and the GPU");
    group->footer("'stencilscope example NAME --help' shows the options of one.");
    group->require_subcommand(0, 1);
    for (const Example& example : examples()) {
        CLI::App* command = group->add_subcommand(std::string(example.name), std::string(example.summary));
        const auto order = std::make_shared<ExampleOrder>();
        order->request = request_for(example);
        for (const auto options : {example.options, common_options()})
            for (const ExampleOption& option : options) add_option(*command, option, *order);
        command
            ->add_option(
                "--out", order->request.out, "folder for report.json, CSV tables, figures and results")
            ->type_name("DIR");
        add_common(*command, "report", order->json, order->quiet);
        command->footer(std::string(example.about));
        command->allow_extras();
        command->final_callback([order, take] { take(order); });
    }
    return group;
}

}  // namespace

void add_example(CLI::App& app, ChosenCommand& chosen) {
    CLI::App* group = add_examples(app, [&chosen](const std::shared_ptr<ExampleOrder>& order) {
        chosen = [order] { return example_command(*order); };
    });
    const auto list = std::make_shared<bool>(false);
    group->add_flag("--list", *list, "list the examples");
    group->final_callback([group, list, &chosen] {
        if (!group->get_subcommands().empty()) return;
        chosen = [list] {
            if (!*list) throw InputError("example: which one? 'stencilscope example --list' lists them");
            print_text(list_examples());
            return 0;
        };
    });
}

ExampleRequest read_example(const std::string& words) {
    CLI::App app;
    ExampleRequest request;
    CLI::App* group = add_examples(app, [&](const auto& order) { request = order->request; });
    group->allow_extras();
    try {
        std::vector<std::string> all = shell_words(words);
        all.insert(all.begin(), "example");
        app.parse(cli_words(all));
    } catch (const CLI::Success&) {
        throw InputError("--example " + words + ": 'stencilscope example " + words + "' tells that");
    } catch (const CLI::Error& error) {
        throw InputError("--example " + words + ": " + error.what());
    }
    const auto chosen = group->get_subcommands();
    const auto left = chosen.empty() ? group->remaining() : chosen.front()->remaining();
    if (left.empty() && !chosen.empty()) return request;
    const auto known = chosen.empty() ? names_of(examples()) : option_names(*chosen.front());
    throw InputError("--example: " + unknown_name_message(chosen.empty() ? "example" : "option",
                                                          left.empty() ? words : left.front(),
                                                          known));
}

}  // namespace stencil
