#include "app/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/cli.h"
#include "app/commands/commands.h"
#include "sim/kernel_trial/trial.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

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

// Refuses options before a command: they would configure the window, which does not open.
void refuse_options_before(const CLI::App& app, const std::string& command) {
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0)
            throw InputError(
                "{0} before '{1}': options come after the command, as in 'stencilscope {1} {0} ...'",
                option->get_name(),
                command);
}

CLI::App& deepest_command(CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest_command(*chosen.front());
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
    for (const auto add : {add_run, add_bench, add_verify, add_devices, add_models, add_example, add_options})
        add(app, chosen);
    chosen = add_window(app);  // after the commands, which would take over the end of its help
    // Hidden: bench --kernel starts it as a child process.
    app.add_subcommand("kernel-trial")->group("")->final_callback([&] { chosen = user_kernel::trial_child; });
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
    CLI::App& command = deepest_command(app);
    const auto left = command.remaining();
    if (!left.empty()) refuse_word(command, left.front());
    const auto commands = app.get_subcommands();
    if (!commands.empty()) refuse_options_before(app, commands.front()->get_name());
    return chosen;
}

}  // namespace stencil
