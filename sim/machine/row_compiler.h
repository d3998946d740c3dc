// Row kernels of typed equations, which the system's C compiler compiles at run time.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/equation/rows/compiled_rows.h"
#include "sim/machine/system_compiler.h"

namespace stencil {

/// Takes rows from the kernel cache or compiles and caches them, on a background thread. A compiler that is
/// missing, fails or hangs is reported as a failure with its reason.
std::unique_ptr<equation::CompiledRows> compile_rows_in_background(const std::string& text);
/// compile_rows_in_background() with a memory limit: each process of the compiler may use at most
/// `memory_limit` bytes less those that this process uses.
equation::RowCompiler compiler_within(std::uint64_t memory_limit);

/// $CC, else cc. Throws MachineError if there is no compiler.
SystemCompiler find_c_compiler();

/// A string that identifies the CPU for -march=native code.
std::string processor_identity();

/// The options that the compiler is called with.
std::vector<std::string> c_compiler_options();

/// Compiles self-contained C to the bytes of a shared library; calls to functions outside of the text are
/// errors. Throws MachineError with one line: the compiler's message, or that it took too long or was
/// stopped.
std::string compile_c(const SystemCompiler& compiler,
                      const std::string& text,
                      const std::stop_token& stop = {},
                      double limit_seconds = kLongestCompilation,
                      std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace stencil
