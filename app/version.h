// Version of this build.
#pragma once

#include <string>

namespace stencil {

/// Text of --version: the version, the commit if known, and the optional libraries built in or found.
std::string version_text();

}  // namespace stencil
