// Paths of the tests' files and of the program under test.
#pragma once

#include <string>

namespace stencil_test {

/// Returns the path of a file in tests/reference; the folder itself for an empty name.
std::string reference_file(const std::string& name);

/// Returns the path of this build's `stencilscope`.
const char* program_file();

}  // namespace stencil_test
