// Files of assets/ that CMake builds into the binary (stencilscope_embed in scripts/cmake).
#pragma once

#include <span>
#include <string_view>

namespace stencil {

struct EmbeddedFile {
    std::string_view name;  ///< without folder and ending
    std::string_view text;
};

/// assets/colormaps/*.csv
std::span<const EmbeddedFile> embedded_colormaps();

}  // namespace stencil
