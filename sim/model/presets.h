// The models that come with the program: the texts of assets/models, embedded as they are.
#pragma once

#include "sim/text/embedded.h"

namespace stencil {

/// A name, which is the file's without its ending, and a text for read_equations.
using Preset = EmbeddedFile;

/// In the order of their files.
std::span<const Preset> presets();

/// Null where there is none of that name.
const Preset* find_preset(std::string_view name);

}  // namespace stencil
