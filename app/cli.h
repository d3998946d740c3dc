// Helpers to declare this program's options with CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/settings/settings.h"

namespace stencil {

/// Reverses the words, as CLI11's parse() expects them, and splits "--name=", which CLI11 would give the next
/// word as its value, into "--name" and an empty value.
std::vector<std::string> cli_words(const std::vector<std::string>& words);

/// Adds an option with a value; `take` is called after all words were read.
using TakeText = std::function<void(const std::string&)>;
CLI::Option* add_text(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take);
/// Adds an option that may be given several times; `take` is called for each value, in the order given.
CLI::Option* add_texts(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take);

/// Adds the options that every command has: --json (whose help says that `what` is written) and --quiet.
void add_common(CLI::App& command, const std::string& what, std::string& json, bool& quiet);
void add_device(CLI::App& command);
/// Adds --version and what add_common() adds, for results.
void add_results(CLI::App& command, std::string& json, bool& quiet);

/// Adds one setting of a run as an option.
CLI::Option* add_setting(CLI::App& command, std::string_view name, std::string help, SettingWords& words);

/// Text of --version: the version, the commit if known, and the optional libraries built in or found.
std::string version_text();

/// Returns the long names of a command's options, with their dashes.
std::vector<std::string> option_names(const CLI::App& command);

}  // namespace stencil
