// `stencilscope options`: generates the manual page and shell completions from the declared options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stencil {

/// Describes `app` and its commands in a format: man (troff), bash, zsh or fish. Throws InputError for
/// others.
std::string options_text(const CLI::App& app, const std::string& format);

}  // namespace stencil
