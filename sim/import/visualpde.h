// Simulations of VisualPDE as texts of models.
#pragma once

#include "sim/import/imported.h"
#include "sim/import/visualpde_options.h"

namespace stencil::import {

/// Throws InputError for what cannot be said here.
Imported model_of_visualpde(const Options& options);

}  // namespace stencil::import
