#include "app/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/cli.h"
#include "app/commands/commands.h"
#include "sim/kernel_trial/trial.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Reports the first word that was not understood, with the option or command nearest to it.
[[noreturn]] void refuse_word(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known = option_names(command);
    for (const CLI::App* sub : command.get_subcommands({})) known.push_back(sub->get_name());
    const std::string given = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(given, known);
    std::vector<std::string> commands;
    for (const CLI::App* sub : command.get_subcommands({}))
        if (!sub->get_group().empty()) commands.push_back(sub->get_name());
    const bool lists = !word.starts_with('-') && !commands.empty();
    throw InputError("unknown {} '{}'{} ({})",
                     word.starts_with('-') ? "option" : "word",
                     given,
                     nearest.empty() ? "" : fmt::format(": did you mean '{}'?", nearest),
                     lists ? fmt::format("allowed: {}", fmt::join(commands, ", ")) : "see --help");
}

// Refuses options and words before a command: they have no meaning there.
void refuse_words_before(const CLI::App& app, const std::string& command) {
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0)
            throw InputError("{0} before '{1}': options come after the command, as in '{1} {0} ...'",
                             option->get_name(),
                             command);
    if (const auto left = app.remaining(); !left.empty())
        throw InputError("'{}' before '{}': the command comes first, its options and words after it",
                         quotable(left.front()),
                         command);
}

// Returns the chosen command, which may be a command of a command.
CLI::App& chosen_command(CLI::App& app) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return app;
    refuse_words_before(app, chosen.front()->get_name());
    return chosen_command(*chosen.front());
}

// Reads `help COMMAND...` as `COMMAND... --help`.
std::vector<std::string> words_of(int argc, const char* const* argv) {
    std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    return words;
}

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

std::function<int()> read_command_line(int argc, const char* const* argv) {
    CLI::App app("Stencilscope: a 2D diffusion and stencil laboratory", "stencilscope");
    app.set_version_flag("--version", version_text);
    app.description(
        "Stencilscope: a 2D diffusion and stencil laboratory. Without a subcommand it opens its window; "
        "'stencilscope run --out DIR' runs headless.");
    ChosenCommand chosen;
    for (const auto add : {add_run,
                           add_sweep,
                           add_fit,
                           add_bench,
                           add_verify,
                           add_devices,
                           add_models,
                           add_example,
                           add_learn,
                           add_options})
        add(app, chosen);
    chosen = add_window(app);  // after the commands, which would take over the end of its help
    // Hidden: bench --kernel starts it as a child process.
    app.add_subcommand("kernel-trial")->group("")->final_callback([&] { chosen = user_kernel::trial_child; });
    app.require_subcommand(0, 1);
    app.allow_extras();
    for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
    try {
        app.parse(cli_words(words_of(argc, argv)));
    } catch (const CLI::Success& help_or_version) {
        if (const auto left = app.remaining(); !left.empty()) refuse_word(app, left.front());
        app.exit(help_or_version);
        return [] { return 0; };
    } catch (const CLI::ParseError& error) {
        throw InputError(one_line(error.what()));
    }
    CLI::App& command = chosen_command(app);
    const auto left = command.remaining();
    if (!left.empty()) refuse_word(command, left.front());
    return chosen;
}

}  // namespace stencil
