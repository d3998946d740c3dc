#include "app/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "kernels/methods/method.h"
#include "sim/initial/initial.h"
#include "sim/model/model.h"
#include "sim/problem/artifact.h"
#include "sim/problem/ready_runs.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Names = std::vector<std::string>;

Names joined(Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

// Returns the names that an option accepts, from the table that defines them.
Names choices_of(const std::string& option) {
    if (option == "model") return names_of(presets());
    if (option == "spec") return names_of(ready_runs());
    if (option == "initial") return names_of(initial_conditions());
    if (option == "boundary") return names_of(kBoundaries);
    if (option == "method") return joined(names_of(methods()), names_of(methods(kEquation)));
    if (option.ends_with("colormap")) return names_of(colormaps());
    if (option == "export") return joined(names_of(artifacts()), {});
    return {};
}

bool takes_value(const CLI::Option& option) {
    return option.get_type_size() != 0;
}

// Returns the subcommands that the help lists.
std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

// Returns the words that may come next in a line whose last word is incomplete.
Names next_words(const CLI::App& program, const std::string& line) {
    const CLI::App* command = &program;
    std::string_view before;
    const std::vector<std::string> words = split(line, ' ');
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        before = words[i];
        for (const CLI::App* sub : shown_commands(*command))
            if (sub->get_name() == before) command = sub;
    }
    const CLI::Option* option =
        before.starts_with("--") ? command->get_option_no_throw(std::string(before)) : nullptr;
    if (option && takes_value(*option)) return choices_of(std::string(before.substr(2)));
    Names next = option_names(*command);
    for (const CLI::App* sub : shown_commands(*command)) next.push_back(sub->get_name());
    return command->get_name() == "models" ? joined(next, names_of(presets())) : next;
}

// Shell scripts that ask the program for the next words, by shell.
constexpr std::pair<std::string_view, std::string_view> kCompletions[] = {
    {"bash", R"sh(# Completion for bash, made by: stencilscope options --format bash
_stencilscope() {
    local line="${COMP_WORDS[*]:0:COMP_CWORD} "
    local words="$("${COMP_WORDS[0]}" options --next "$line" 2>/dev/null)"
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _stencilscope stencilscope
)sh"},
    {"zsh", R"sh(#compdef stencilscope
# Completion for zsh, made by: stencilscope options --format zsh
_stencilscope() {
    local -a next=(${(f)"$($words[1] options --next "${words[1,CURRENT-1]} " 2>/dev/null)"})
    (( $#next )) && compadd -a next || _files
}
if [ "$funcstack[1]" = _stencilscope ]; then _stencilscope "$@"; else compdef _stencilscope stencilscope; fi
)sh"},
    {"fish", R"sh(# Completion for fish, made by: stencilscope options --format fish
complete -c stencilscope -a '(stencilscope options --next (string join " " (commandline -opc) "") 2>/dev/null)'
)sh"}};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

std::string troff(const std::string& text) {
    std::string result = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    result = replaced(replaced(result, "\n.", "\n\\&."), "\n'", "\n\\&'");
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

void add_man(const CLI::App& app, const std::string& name, std::string& synopsis, std::string& sections) {
    synopsis += fmt::format(".br\n.B {}\n[\\fIoptions\\fR]\n", name);
    sections += fmt::format(".SH \"{}\"\n{}\n", name, troff(app.get_description()));
    for (const std::string& group : app.get_groups()) {
        const auto options = app.get_options([&](const CLI::Option* option) {
            return !group.empty() && option->get_group() == group && !option->get_lnames().empty();
        });
        if (!options.empty() && group != "Options") sections += fmt::format(".SS {}\n", troff(group));
        for (const CLI::Option* option : options)
            sections += fmt::format(".TP\n\\fB\\-\\-{}\\fR \\fI{}\\fR\n{}\n",
                                    troff(option->get_lnames().front()),
                                    troff(takes_value(*option) ? option->get_type_name() : ""),
                                    troff(option->get_description()));
    }
    if (!app.get_footer().empty()) sections += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(app.get_footer()));
    for (const CLI::App* sub : shown_commands(app))
        add_man(*sub, name + " " + sub->get_name(), synopsis, sections);
}

std::string man_text(const CLI::App& app) {
    std::string synopsis, sections;
    add_man(app, "stencilscope", synopsis, sections);
    return fmt::format(R"(.\" Made by: stencilscope options --format man
.TH STENCILSCOPE 1 "" "stencilscope {}" "User Commands"
.SH NAME
stencilscope \- laboratory for explicit stencil computations on two\-dimensional fields
.SH SYNOPSIS
{}.SH DESCRIPTION
Without a command it opens its window; \fBstencilscope run\fR works headless. It steps diffusion and any equation that is
typed, on the CPU or an NVIDIA GPU.
{}.SH "EXIT STATUS"
0 done; 1 the machine failed; 2 bad input; 130 interrupted, with what was computed until then exported.
.SH FILES
.TP
\fI$XDG_CONFIG_HOME/stencilscope\fR
settings of the window, its last session, and what was measured by \fBbench \-\-save\fR
)",
                       STENCILSCOPE_VERSION,
                       synopsis,
                       sections);
}

std::string options_text(const CLI::App& app, const std::string& format) {
    if (format == "man") return man_text(app);
    Names known{"man"};
    for (const auto& [shell, script] : kCompletions) {
        if (format == shell) return std::string(script);
        known.emplace_back(shell);
    }
    if (format.empty()) throw InputError("options needs --format NAME: {}", fmt::join(known, ", "));
    throw InputError("--format: " + unknown_name_message("format", format, known));
}

}  // namespace

void add_options(CLI::App& app, ChosenCommand& chosen) {
    CLI::App* options =
        app.add_subcommand("options", "All options, as a manual page or as what a shell completes");
    const auto format = std::make_shared<std::string>(), line = std::make_shared<std::string>();
    options->add_option("--format", *format, "man, bash, zsh or fish")->type_name("NAME");
    options->add_option("--next", *line, "the words that may follow in a line, for completion")
        ->type_name("LINE");
    options->final_callback([=, &app, &chosen] {
        const bool next = format->empty() && !line->empty();
        chosen = [text = next ? fmt::format("{}\n", fmt::join(next_words(app, *line), "\n"))
                              : options_text(app, *format)] {
            print_text(text);
            return 0;
        };
    });
}

}  // namespace stencil
