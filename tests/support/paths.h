// Where the tests' own files and the program under test are.
#pragma once

#include <string>

namespace stencil_test {

/// A file of tests/reference; the folder itself for an empty name.
std::string reference_file(const std::string& name);

/// The program `stencilscope` of this build.
const char* program_file();

}  // namespace stencil_test
