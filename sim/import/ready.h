// Patterns of Ready (https://github.com/GollyGang/ready) as texts of models.
#pragma once

#include <string_view>

#include "sim/import/imported.h"

namespace stencil::import {

/// Reads a .vti file whose rule is a formula in two dimensions or one. Throws InputError.
Imported model_of_ready(std::string_view xml);

}  // namespace stencil::import
