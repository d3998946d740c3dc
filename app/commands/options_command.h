// `stencilscope options`: the manual page, and what shells complete, from the options that the program has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace stencil {

/// `app` with all its commands, as `format`: man (troff), bash, zsh or fish. Throws InputError for another.
std::string options_text(const CLI::App& app, const std::string& format);

}  // namespace stencil
