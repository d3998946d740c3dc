// Parses the command line into a command that is ready to run.
#pragma once

#include <functional>

namespace stencil {

/// Parses the words and returns the command to run, which returns the exit status. Help and version are
/// commands too. Throws a one-line InputError for words that are not understood.
std::function<int()> read_command_line(int argc, const char* const* argv);

}  // namespace stencil
