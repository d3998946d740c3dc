// Options that `run` and the window share: the settings of a run.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli.h"

namespace stencil {

/// Settings given as options; they override those of a spec file, whatever their order.
struct RunWords {
    SettingWords settings;
    std::string spec_file;  ///< empty: none

    bool has(std::string_view setting) const;
    /// Throws InputError.
    RunSpec spec() const;
};

/// Adds every setting of a run but those left out as an option of a command, and --spec.
void add_settings(CLI::App& command, RunWords& words, std::span<const std::string_view> left_out = {});

/// Lists the methods with what they do, for the end of a command's help.
std::string list_methods();

/// Adds an option for a folder, which must have a name.
void add_folder(CLI::App& command, const std::string& name, const std::string& help, std::string& folder);

/// Parses a number of frames per second. Throws InputError.
double parse_fps(const std::string& text);

}  // namespace stencil
