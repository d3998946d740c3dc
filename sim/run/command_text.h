// A run as the words that a person would type.
#pragma once

#include <string>

#include "sim/run/run_spec.h"

namespace stencil {

/// "stencilscope run --size 512x512 --steps 340 --at 100:coefficient=0.1 ...": what repeats a resolved spec,
/// quoted for a shell. Settings at their defaults are left out, and so are the backend (the method says it),
/// the threads, and what is exported.
std::string command_text(const RunSpec& spec);

}  // namespace stencil
