// Other programs' simulations as texts of models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/visualpde_options.h"

namespace stencil::import {

struct Imported {
    std::string text;                      ///< of a model, in the language of typed equations
    std::vector<std::string> notes;        ///< what does not carry over, a line each
    std::string range;                     ///< that the colours span, as --range takes it; empty: none given
    std::string arrows = {};               ///< over the field, as --arrows takes them; empty: none given
    std::vector<std::string> colors = {};  ///< of further formulas, as --colors takes them
};

/// A simulation of VisualPDE. Throws InputError for what cannot be said here.
Imported model_of_visualpde(const Options& options);

/// A pattern of Ready (https://github.com/GollyGang/ready): a .vti file whose rule is a formula in two
/// dimensions or one. Throws InputError.
Imported model_of_ready(std::string_view xml);

}  // namespace stencil::import
