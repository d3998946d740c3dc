// The command line: from words to a command's request.
#pragma once

#include <functional>

namespace stencil {

/// Reads the words and returns the command to run, which returns the exit status. Help and version are
/// commands too. Throws InputError, one line, for words that are not understood.
std::function<int()> read_command_line(int argc, const char* const* argv);

}  // namespace stencil
