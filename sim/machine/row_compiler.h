// Row kernels of typed equations, compiled by the system's C compiler.
#pragma once

#include "kernels/equation/rows/compiled_rows.h"

namespace stencil {

/// Takes rows from the kernel cache or compiles and caches them, on a background thread. A compiler that is
/// missing, fails or hangs is reported as a failure with its reason.
std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text);

}  // namespace stencil
