// Fonts of the system, by fontconfig, for characters that the packaged fonts lack.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace stencil {

struct SystemFont {
    std::string file;
    int index = 0;                  ///< of the font in a collection
    std::set<unsigned> characters;  ///< that are to be taken from it
};

/// Fonts with outlines that have these characters, each in the first one that fontconfig prefers; characters
/// that no font has are left out, and all are where fontconfig is not installed.
std::vector<SystemFont> system_fonts(const std::set<unsigned>& characters);

}  // namespace stencil
