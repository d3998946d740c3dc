// Files embedded into the binary by CMake (stencilscope_embed in scripts/cmake).
#pragma once

#include <span>
#include <string_view>

namespace stencil {

struct EmbeddedFile {
    std::string_view name;  ///< without folder and extension
    std::string_view text;
};

/// assets/colormaps/*.csv
std::span<const EmbeddedFile> embedded_colormaps();
/// assets/measured/*.json
std::span<const EmbeddedFile> embedded_measured();
/// assets/models/*.txt
std::span<const EmbeddedFile> embedded_models();
/// assets/runs/*.json
std::span<const EmbeddedFile> embedded_runs();
/// assets/gallery/*.png
std::span<const EmbeddedFile> embedded_gallery();
/// assets/kernels/ladder/*.cu
std::span<const EmbeddedFile> embedded_kernels();
/// sim/kernel_trial: what precedes a kernel that is compiled for the CPU
std::span<const EmbeddedFile> embedded_words();
/// assets/web/*.html, *.css and *.js
std::span<const EmbeddedFile> embedded_web();
/// assets/certificate.json
std::span<const EmbeddedFile> embedded_certificate();

// Only in the window's library.

/// shaders/*.vert and shaders/*.frag
std::span<const EmbeddedFile> embedded_shaders();
/// Font files of system packages: text and icons.
std::span<const EmbeddedFile> embedded_fonts();

}  // namespace stencil
