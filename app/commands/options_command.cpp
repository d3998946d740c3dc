#include "app/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.h"
#include "kernels/methods/method.h"
#include "sim/initial/initial.h"
#include "sim/model/model.h"
#include "sim/model/presets.h"
#include "sim/problem/export_names.h"
#include "sim/problem/ready_runs.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Names = std::vector<std::string>;

struct OptionText {
    std::string name;  ///< without dashes
    std::string value, help;
    Names choices;  ///< the values allowed; empty: any

    bool takes_path() const {
        return std::ranges::any_of(std::array{"FILE", "DIR", "WHAT"}, [this](const char* word) {
            return value.find(word) != std::string::npos;
        });
    }
};

struct CommandText {
    std::string name;  ///< such as "example ridge"; empty for the window
    std::string help, footer;
    std::vector<OptionText> options;
    Names next;  ///< words that may follow: subcommands or names
};

Names joined(Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

Names model_names() {
    Names names = names_of(presets());
    for (const auto& model : models()) names.push_back(model->name);
    return names;
}

// Returns the names that an option accepts, from the table behind it.
Names choices_of(const std::string& option) {
    if (option == "model") return model_names();
    if (option == "spec") return names_of(ready_runs());
    if (option == "initial") return names_of(initial_conditions());
    if (option == "boundary") return names_of(kBoundaries);
    if (option == "method") return joined(names_of(methods()), names_of(methods(kEquation)));
    if (option.ends_with("colormap")) return names_of(colormaps());
    if (option == "export") return joined(names_of(kExports), names_of(kFrameExports));
    return {};
}

void collect(const CLI::App& app, const std::string& name, std::vector<CommandText>& commands) {
    CommandText command{name, app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_lnames().empty()) continue;
        const std::string& word = option->get_lnames().front();
        const bool has_value = option->get_type_size() != 0;
        command.options.push_back(
            {word, has_value ? option->get_type_name() : "", option->get_description(), choices_of(word)});
    }
    if (name == "models") command.next = model_names();
    const std::size_t index = commands.size();
    commands.push_back({});
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (sub->get_group().empty()) continue;
        command.next.push_back(sub->get_name());
        collect(*sub, name.empty() ? sub->get_name() : name + " " + sub->get_name(), commands);
    }
    commands[index] = std::move(command);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

// Shortens help for a completion list: cuts it at its first stop.
std::string brief(const std::string& help) {
    return help.substr(0, std::min({help.find("; "), help.find(": "), help.find(" ("), help.find('\n')}));
}

// Puts words into a shell's single quotes; `quote` is how that shell writes a quote inside them.
std::string quoted(const std::string& text, std::string_view quote) {
    return "'" + replaced(text, "'", quote) + "'";
}

Names dashed(const CommandText& command) {
    Names words;
    for (const OptionText& option : command.options) words.push_back("--" + option.name);
    return words;
}

// Lists the commands, by which a completion script recognises the one being typed.
std::string known_commands(const std::vector<CommandText>& commands, std::string_view between) {
    Names names;
    for (const CommandText& command : commands)
        if (!command.name.empty())
            names.push_back(
                fmt::format("'{}{}'", command.name.find(' ') == std::string::npos ? " " : "", command.name));
    return fmt::format("{}", fmt::join(names, between));
}

std::string bash_text(const std::vector<CommandText>& commands) {
    std::string values, words;
    Names seen;
    for (const CommandText& command : commands) {
        for (const OptionText& option : command.options) {
            if (option.value.empty() || contains(seen, option.name)) continue;
            seen.push_back(option.name);
            values += fmt::format("        --{}) words='{}'{} ;;\n",
                                  option.name,
                                  fmt::join(option.choices, " "),
                                  option.takes_path() ? "" : "; compopt +o default 2>/dev/null");
        }
        words += fmt::format("            '{}') words='{} {} ' ;;\n",
                             command.name,
                             fmt::join(command.next, " "),
                             fmt::join(dashed(command), " "));
    }
    // readline falls back to file names if no word matches (-o default).
    return fmt::format(R"(# Completion for bash, made by: stencilscope options --format bash
_stencilscope() {{
    local command= words= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "$command ${{COMP_WORDS[i]}}" in
            {}) command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}        *) case "$command" in
{}        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _stencilscope stencilscope
)",
                       known_commands(commands, "|"),
                       values,
                       words);
}

std::string zsh_option(const OptionText& option) {
    std::string help = brief(option.help);
    for (const std::string_view special : {"\\", "[", "]", ":"})
        help = replaced(help, special, fmt::format("\\{}", special));
    std::string text = fmt::format("*--{}[{}]", option.name, help);
    std::string words = fmt::format("{}", fmt::join(option.choices, " "));
    if (option.takes_path())
        words = words.empty() ? "_files" : fmt::format("{{compadd -- {}; _files}}", words);
    else
        words = fmt::format("({})", words);
    if (!option.value.empty()) text += fmt::format(":{}:{}", replaced(option.value, ":", "\\:"), words);
    return quoted(text, R"('\'')");
}

std::string zsh_text(const std::vector<CommandText>& commands) {
    std::string cases;
    for (const CommandText& command : commands) {
        cases += fmt::format("    '{}') _arguments \\\n", command.name);
        for (const OptionText& option : command.options)
            cases += fmt::format("        {} \\\n", zsh_option(option));
        cases += fmt::format("        '*: :({})' ;;\n", fmt::join(command.next, " "));
    }
    return fmt::format(R"(#compdef stencilscope
# Completion for zsh, made by: stencilscope options --format zsh
_stencilscope() {{
    local command= i
    for ((i = 2; i < CURRENT; ++i)); do
        case "$command ${{words[i]}}" in
            {}) command="${{command:+$command }}${{words[i]}}" ;;
        esac
    done
    case "$command" in
{}    esac
}}
if [ "$funcstack[1]" = _stencilscope ]; then _stencilscope "$@"; else compdef _stencilscope stencilscope; fi
)",
                       known_commands(commands, "|"),
                       cases);
}

std::string fish_text(const std::vector<CommandText>& commands) {
    constexpr std::string_view quote = R"(\')";
    std::string text = fmt::format(R"(# Completion for fish, made by: stencilscope options --format fish
function __stencilscope_in
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case {}
                set command (string trim -- "$command $word")
        end
    end
    test "$command" = "$argv"
end
)",
                                   known_commands(commands, " "));
    for (const CommandText& command : commands) {
        const std::string in =
            fmt::format("complete -c stencilscope -n '__stencilscope_in {}'", command.name);
        if (!command.next.empty()) text += fmt::format("{} -f -a '{}'\n", in, fmt::join(command.next, " "));
        for (const OptionText& option : command.options) {
            const std::string help = quoted(replaced(brief(option.help), "\\", "\\\\"), quote);
            text += fmt::format("{} -l {} -d {}", in, option.name, help);
            if (!option.value.empty()) text += option.takes_path() ? " -r" : " -x";
            if (!option.choices.empty()) text += fmt::format(" -a '{}'", fmt::join(option.choices, " "));
            text += '\n';
        }
    }
    return text;
}

std::string troff(const std::string& text) {
    std::string result = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    result = replaced(replaced(result, "\n.", "\n\\&."), "\n'", "\n\\&'");
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string man_text(const std::vector<CommandText>& commands) {
    std::string synopsis, sections;
    for (const CommandText& command : commands) {
        const std::string name = command.name.empty() ? "stencilscope" : "stencilscope " + command.name;
        synopsis += fmt::format(".br\n.B {}\n[\\fIoptions\\fR]\n", name);
        sections += fmt::format(".SH \"{}\"\n{}\n", name, troff(command.help));
        for (const OptionText& option : command.options)
            sections += fmt::format(".TP\n\\fB\\-\\-{}\\fR \\fI{}\\fR\n{}\n",
                                    troff(option.name),
                                    troff(option.value),
                                    troff(option.help));
        if (!command.footer.empty()) sections += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command.footer));
    }
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
    std::vector<CommandText> commands;
    collect(app, "", commands);
    if (format == "man") return man_text(commands);
    if (format == "bash") return bash_text(commands);
    if (format == "zsh") return zsh_text(commands);
    if (format == "fish") return fish_text(commands);
    const Names known{"man", "bash", "zsh", "fish"};
    throw InputError("--format: " + unknown_name_message("format", format, known));
}

}  // namespace

void add_options(CLI::App& app, ChosenCommand& chosen) {
    CLI::App* options =
        app.add_subcommand("options", "All options, as a manual page or as what a shell completes");
    const auto format = std::make_shared<std::string>();
    options->add_option("--format", *format, "man, bash, zsh or fish")->type_name("NAME")->required();
    options->final_callback([format, &app, &chosen] {
        chosen = [text = options_text(app, *format)] {
            print_text(text);
            return 0;
        };
    });
}

}  // namespace stencil
