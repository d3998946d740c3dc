// stencilscope models: the table of models, or the text of one.
#pragma once

#include <string>

namespace stencil {

/// An empty name lists all of them: built-in ones and presets, whose texts are shown as their files have
/// them, and so is the text of a run, by its spec.json. Throws InputError for an unknown one.
int models_command(const std::string& name);

}  // namespace stencil
