// The result of reading another program's file.
#pragma once

#include <string>
#include <vector>

namespace stencil::import {

struct Imported {
    std::string text;                ///< of a model, in the language of typed equations
    std::vector<std::string> notes;  ///< what does not carry over, a line each
    std::string range;               ///< that the colours span, as --range takes it; empty: none given
    std::string arrows = {};         ///< over the field, as --arrows takes them; empty: none given
};

}  // namespace stencil::import
