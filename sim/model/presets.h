// The models that come with the program: the texts of assets/models, embedded in the binary.
#pragma once

#include "sim/text/embedded.h"

namespace stencil {

/// The file's name without its ending, and its text.
using Preset = EmbeddedFile;

/// All presets in alphabetical order of their files.
std::span<const Preset> presets();

/// Null if there is no such preset.
const Preset* find_preset(std::string_view name);

}  // namespace stencil
