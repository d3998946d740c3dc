// A model's equations as mathematics, drawn as SVG.
#pragma once

#include <string>

#include "sim/model/text/statements.h"

namespace stencil {

/// An <svg> element of at most this width in pixels, in the colour of the text around it, as the window's
/// editor sets the statements. Screen readers get the text as typed.
std::string equation_picture(const equation::Statements& statements, double width);

}  // namespace stencil
