#include "app/example_words.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/parse.h"
#include "sim/run_spec.h"

namespace stencil {
namespace {

using Texts = std::vector<std::string>;

std::string help_of(const ExampleOption& option) {
    std::string text(option.help);
    if (!option.choices.empty()) text += fmt::format(": {}", fmt::join(option.choices, ", "));
    if (!option.standard.empty() && option.kind != ExampleOption::Kind::flag)
        text += fmt::format(" (default {})", option.standard);
    return text;
}

std::string dtype_names(const Example& example) {
    std::string text;
    for (const DType dtype : example.dtypes)
        text += fmt::format("{}{}", text.empty() ? "" : ",", name_of(dtype));
    return text;
}

std::vector<DType> parse_dtypes(const std::string& text) {
    std::vector<DType> dtypes;
    for (const std::string& name : split(text == "both" ? "float32,float64" : text, ',')) {
        if (name != "float32" && name != "float64")
            throw InputError(fmt::format("--dtype {}: must be float32, float64 or both", text));
        dtypes.push_back(name == "float32" ? DType::float32 : DType::float64);
    }
    return dtypes;
}

std::string parse_backend(const std::string& text) {
    if (text != "auto" && text != "cpu" && text != "cuda")
        throw InputError(fmt::format("--backend {}: must be auto, cpu or cuda", text));
    return text;
}

void add_text(CLI::App& command,
              const std::string& name,
              const std::string& value,
              const std::string& help,
              const std::function<void(const std::string&)>& take) {
    command.add_option_function<std::string>("--" + name, take, help)
        ->type_name(value)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_common(CLI::App& command, const Example& example, ExampleOrder& order) {
    ExampleRequest& request = order.request;
    add_text(command, "backend", "NAME", "auto (CPU and GPU), cpu or cuda", [&](const std::string& text) {
        request.backend = parse_backend(text);
    });
    add_text(command,
             "dtype",
             "NAME",
             fmt::format("float32, float64 or both (default {})", dtype_names(example)),
             [&](const std::string& text) { request.dtypes = parse_dtypes(text); });
    add_text(
        command,
        "repeats",
        "N",
        "timed repeats, of which the median counts (default: by the time that one takes)",
        [&](const std::string& text) { request.repeats = int(parse_integer(text, "--repeats", 1, 100000)); });
    add_text(command, "threads", "N", "CPU threads (default: all)", [&](const std::string& text) {
        request.threads = int(parse_integer(text, "--threads", 1, 4096));
    });
    add_text(command,
             "memory-limit",
             "BYTES",
             "use no more GPU memory, e.g. 2GB: larger work is cut up and streamed",
             [&](const std::string& text) { request.memory_limit = parse_bytes(text, "--memory-limit"); });
    command.add_option("--out", request.out, "folder for report.json, CSV tables, figures and results")
        ->type_name("DIR");
    command.add_option("--json", order.json, "also write the report to this file")->type_name("FILE");
    command.add_flag("--quiet", order.quiet, "print nothing but errors and notes");
}

void add_option(CLI::App& command, const ExampleOption& option, ExampleOrder& order) {
    const std::string name(option.name);
    OptionValues& values = order.request.options;
    if (option.kind == ExampleOption::Kind::flag) {
        command.add_flag_callback(
            "--" + name, [&values, name] { values.set(name, "true"); }, help_of(option));
        return;
    }
    command
        .add_option_function<Texts>(
            "--" + name,
            [&values, name](const Texts& texts) {
                for (const std::string& text : texts) values.set(name, text);
            },
            help_of(option))
        ->type_name(std::string(option.value))
        ->allow_extra_args(false)
        ->multi_option_policy(option.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                : CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

// Callbacks of a command run in the order of its options, after all words were read; each command has values
// of its own until then.
void ExampleWords::add_one(CLI::App& group, const Example& example) {
    CLI::App* command = group.add_subcommand(std::string(example.name), std::string(example.summary));
    const auto order = std::make_shared<ExampleOrder>();
    order->request = request_for(example);
    for (const ExampleOption& option : example.options) add_option(*command, option, *order);
    add_common(*command, example, *order);
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
            fmt::print("{}", list_examples());
            return 0;
        };
    }
    return [order = order_] { return example_command(*order); };
}

}  // namespace stencil
