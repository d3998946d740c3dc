// Rows of typed equations by the system's C compiler.
#pragma once

#include "kernels/equation/rows/compiled_rows.h"

namespace stencil {

/// On a thread of its own: from the cache of kernels where they are there, else compiled and kept. A compiler
/// that is missing, refuses or hangs is a failure with its reason.
std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text);

}  // namespace stencil
