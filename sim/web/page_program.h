// Programs as a page reads them: JSON, with shaders and functions as text.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/text/glsl_text.h"
#include "sim/text/json.h"

namespace stencil {

/// Functions of a page's programs; the programs' JSON refers to them by index.
using PageFunctions = std::vector<std::string>;

/// Returns a program for assets/web/stepper.js. Textures from `first_texture` on belong to this program;
/// `components` is the number of the model's components, which precede the model's data in the page's data.
nlohmann::ordered_json page_program(const equation::Program& program,
                                    const equation::GlslProgram& glsl,
                                    std::size_t first_texture,
                                    std::size_t components,
                                    PageFunctions& functions);

}  // namespace stencil
