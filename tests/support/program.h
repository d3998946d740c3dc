// Running the program as a user would.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace stencil_test {

struct ProgramResult {
    int status = -1;  ///< exit status, or 128 + the signal that ended it
    std::string out;
    std::string err;
};

struct ProgramOptions {
    int interrupt_after_ms = 0;  ///< > 0: send the signal once so much time has passed
    int signal = SIGINT;
    const char* out = nullptr;        ///< a file to open instead as standard output; "" closes it
    const char* err = nullptr;        ///< the same for standard error
    bool ignores_interrupts = false;  ///< as a script's background job
    int seconds = 0;                  ///< > 0: killed after so long
    long long file_size_limit = -1;   ///< >= 0: no file may grow beyond so many bytes, as on a full disk
};

/// Runs stencilscope with these arguments.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// Requires one line on standard error that says what was wrong, and nothing on standard output.
void require_refused(const ProgramResult& result, int status, const std::string& part);

}  // namespace stencil_test
