// stencilscope models: lists the models, or prints the text of one.
#pragma once

#include <string>

namespace stencil {

/// Prints the text of a model or, given a spec.json, of a run; an empty name lists all models. Throws
/// InputError for an unknown name.
int models_command(const std::string& name);

}  // namespace stencil
