// The system's C compiler, for text that is made while the program runs.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace stencil {

struct CCompiler {
    std::vector<std::string> command;  ///< $CC, else cc, as a path, and what it is called with before options
    std::string identity;              ///< differs between versions
};

/// On the PATH. Throws MachineError where there is none.
CCompiler find_c_compiler();

/// A processor, as far as code for it (-march=native) runs on no other.
std::string processor_identity();

/// What a compiler is called with.
std::vector<std::string> c_compiler_options();

inline constexpr double kLongestCompilation = 60;  ///< seconds; a busy machine needs some

/// Header-free C as the bytes of a shared library, in a process without a shell. Calls of anything outside
/// the text are errors. Throws MachineError, in a line: what the compiler said, or that it took longer than
/// `limit` or was to stop, when it is ended with all that it had started.
std::string compile_c(const CCompiler& compiler,
                      const std::string& text,
                      const std::stop_token& stop = {},
                      double limit_seconds = kLongestCompilation);

}  // namespace stencil
