#include "app/commands/example_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "sim/examples/request.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

std::string help_of(const ExampleOption& option) {
    std::string text(option.help);
    if (!option.choices.empty()) text += fmt::format(": {}", fmt::join(option.choices, ", "));
    if (!option.standard.empty() && option.kind != ExampleOption::Kind::flag)
        text += fmt::format(" (default {})", option.standard);
    return text;
}

std::string help_of(const RequestOption& option, const Example& example) {
    if (option.name != "dtype") return std::string(option.help);
    return fmt::format("{} (default {})", option.help, dtype_text(example.dtypes));
}

void add_requests(CLI::App& command, const Example& example, ExampleOrder& order) {
    ExampleRequest& request = order.request;
    for (const RequestOption& option : request_options())
        add_text(command, option.name, option.value, help_of(option, example), [&](const std::string& text) {
            option.set(request, text);
        })->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    command.add_option("--out", request.out, "folder for report.json, CSV tables, figures and results")
        ->type_name("DIR");
    add_common(command, "report", order.json, order.quiet);
}

void add_option(CLI::App& command, const ExampleOption& option, ExampleOrder& order) {
    const std::string name(option.name);
    OptionValues& values = order.request.options;
    if (option.kind == ExampleOption::Kind::flag) {
        command.add_flag_callback(
            "--" + name, [&values, name] { values.set(name, "true"); }, help_of(option));
        return;
    }
    const auto set = [&values, name](const std::string& text) { values.set(name, text); };
    if (option.repeatable)
        add_texts(command, name, option.value, help_of(option), set);
    else
        add_text(command, name, option.value, help_of(option), set)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

// CLI11 runs a command's callbacks in the order of its options after parsing, so each command collects its
// values in its own object until then.
void ExampleWords::add_one(CLI::App& group, const Example& example) {
    CLI::App* command = group.add_subcommand(std::string(example.name), std::string(example.summary));
    const auto order = std::make_shared<ExampleOrder>();
    order->request = request_for(example);
    for (const ExampleOption& option : example.options) add_option(*command, option, *order);
    add_requests(*command, example, *order);
    command->footer(std::string(example.about));
    command->allow_extras();
    command->final_callback([this, order] { order_ = order; });
}

void ExampleWords::add_to(CLI::App& app) {
    group_ = app.add_subcommand("example", "Run one of the classic workloads on the CPU and the GPU");
    group_->add_flag("--list", list_, "list the examples");
    group_->footer("'stencilscope example NAME --help' shows the options of one.");
    group_->require_subcommand(0, 1);
    for (const Example& example : examples()) add_one(*group_, example);
}

std::function<int()> ExampleWords::command() const {
    if (group_->get_subcommands().empty()) {
        if (!list_) throw InputError("example: which one? 'stencilscope example --list' lists them");
        return [] {
            print("{}", list_examples());
            return 0;
        };
    }
    return [order = order_] { return example_command(*order); };
}

ExampleRequest read_example(const std::string& words) {
    CLI::App app;
    ExampleWords example;
    example.add_to(app);
    CLI::App* group = app.get_subcommand("example");
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
    if (left.empty() && !chosen.empty()) return example.order().request;
    const auto known = chosen.empty() ? names_of(examples()) : option_names(*chosen.front());
    throw InputError("--example: " + unknown_name_message(chosen.empty() ? "example" : "option",
                                                          left.empty() ? words : left.front(),
                                                          known));
}

}  // namespace stencil
