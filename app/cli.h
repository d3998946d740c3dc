// Words and options of CLI11 as this program has them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/settings.h"

namespace stencil {

/// In the reversed order that CLI11 takes. It reads "--name=" as an option whose value is the next word; here
/// that value is empty.
std::vector<std::string> cli_words(const std::vector<std::string>& words);

/// An option with a value: `take` is called when all words were read.
using TakeText = std::function<void(const std::string&)>;
CLI::Option* add_text(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take);
/// The same, of which several may be given: all are taken, in their order.
CLI::Option* add_texts(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take);

/// --json, --quiet and --device, which every command has; `what` goes to the file.
void add_common(CLI::App& command, const std::string& what, std::string& json, bool& quiet);
void add_device(CLI::App& command);
/// What add_common() adds, for results, and --version.
void add_results(CLI::App& command, std::string& json, bool& quiet);

/// An option that is a setting of a run, for a command that has only some of them.
void add_setting(CLI::App& command, const char* name, std::string help, SettingWords& words);

/// The long names of a command's options, with their dashes.
std::vector<std::string> option_names(const CLI::App& command);

}  // namespace stencil
