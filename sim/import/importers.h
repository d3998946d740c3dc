// Imports other programs' simulations as texts of models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/visualpde_options.h"

namespace stencil::import {

struct Imported {
    std::string text;                      ///< the model in the language of typed equations
    std::vector<std::string> notes;        ///< what was not imported, one line each
    std::string range;                     ///< range of the colours, in the syntax of --range; empty: none
                                           ///< given
    std::string arrows = {};               ///< arrows over the field, in the syntax of --arrows; empty: none
                                           ///< given
    std::vector<std::string> colors = {};  ///< further formulas with their colours, in the syntax of --colors
};

/// Imports a simulation of VisualPDE. Throws InputError for anything that has no equivalent here.
Imported model_of_visualpde(const Options& options);

/// Imports a pattern of Ready (https://github.com/GollyGang/ready): a .vti file whose rule is a formula in
/// one or two dimensions. Throws InputError.
Imported model_of_ready(std::string_view xml);

}  // namespace stencil::import
