// Compilers of the system, and the shared libraries that they make at run time.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "sim/files/descriptor.h"

namespace stencil {

struct SystemCompiler {
    std::vector<std::string> command;  ///< path and leading arguments
    std::string identity;              ///< differs between compiler versions
};

/// Takes the compiler that an environment variable names, else the usual one, in the PATH. Throws
/// MachineError if there is none.
SystemCompiler find_compiler(const char* variable, const char* usual, const char* language);

inline constexpr double kLongestCompilation = 60;  ///< seconds; generous, for busy machines

struct CompilerAnswer {
    std::string library;  ///< bytes of a shared library; empty if the text was refused
    std::string said;     ///< lines of the compiler
};

/// Compiles a text from standard input (`-` among the options) in a child process without a shell and in a
/// folder of its own. Throws MachineError if it took too long; its whole process group is then killed. None
/// of its processes gets more than `most_bytes` for its data.
CompilerAnswer compile_library(const SystemCompiler& compiler,
                               const std::vector<std::string>& options,
                               const std::string& text,
                               const std::stop_token& stop = {},
                               double limit_seconds = kLongestCompilation,
                               std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

/// A shared library loaded from memory, so that no folder needs to allow execution. Throws MachineError.
class LoadedLibrary {
  public:
    explicit LoadedLibrary(const std::string& bytes);
    ~LoadedLibrary();
    LoadedLibrary(const LoadedLibrary&) = delete;
    LoadedLibrary& operator=(const LoadedLibrary&) = delete;

    void* function(const std::string& name) const;

  private:
    MemoryFile file_;  ///< must stay open while the library is loaded, which refers to it by name
    void* library_;
};

}  // namespace stencil
