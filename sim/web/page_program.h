// Programs as a page reads them: JSON, with shaders and functions as text.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/text/glsl_text.h"
#include "sim/text/json.h"

namespace stencil {

/// Collects the functions of a page's programs, to which their JSON refers by number.
using PageFunctions = std::vector<std::string>;

/// A program for assets/web/stepper.js. The textures from `first_texture` on are its own; `components` counts
/// those of the model, which come first in the page's data, before the model's data.
nlohmann::ordered_json page_program(const equation::Program& program,
                                    const equation::GlslProgram& glsl,
                                    std::size_t first_texture,
                                    std::size_t components,
                                    PageFunctions& functions);

}  // namespace stencil
