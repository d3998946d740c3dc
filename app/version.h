// What this build is.
#pragma once

#include <string>

namespace stencil {

/// For --version: the version, the commit where it is known, and what was built in or is found.
std::string version_text();

}  // namespace stencil
