// Running the program as a user would.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/text/json.h"

namespace stencil_test {

struct ProgramResult {
    int status = -1;  ///< exit status, or 128 + the signal that ended it
    std::string out;
    std::string err;
};

struct ProgramOptions {
    double interrupt_after = 0;  ///< > 0: send the signal once it has computed for so many seconds
    std::filesystem::path interrupt_once = {};  ///< not empty: send the signal once this file is there
    int signal = SIGINT;
    const char* out = nullptr;        ///< a file to open instead as standard output; "" closes it
    const char* err = nullptr;        ///< the same for standard error
    bool ignores_interrupts = false;  ///< as a script's background job
    int seconds = 0;                  ///< > 0: killed after so long
    long long file_size_limit = -1;   ///< >= 0: no file may grow beyond so many bytes, as on a full disk
};

using Words = std::vector<std::string>;

/// Runs stencilscope with these arguments.
ProgramResult run_program(const Words& arguments, const ProgramOptions& options = {});

/// The words of a command line without quotes, apart at its spaces; each {} in them stands for the next of
/// the values.
Words words_with(std::string_view line, std::span<const std::string> values);

template <class Value>
std::string word_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
        return std::to_string(value);
    else
        return std::filesystem::path(value).string();
}

/// The same with paths, texts and numbers for values, which may be empty and hold spaces.
template <class... Values>
Words words(std::string_view line, const Values&... values) {
    return words_with(line, std::vector<std::string>{word_of(values)...});
}

/// Runs stencilscope with words(line, values...).
template <class... Values>
ProgramResult stencilscope(std::string_view line, const Values&... values) {
    return run_program(words(line, values...));
}

Words joined(Words words, const Words& more);

/// Requires the exit status 0; what it was given.
ProgramResult require_done(ProgramResult result);

/// User and system time of a process, in seconds: how long it has computed, however busy the machine is.
double processor_time(pid_t process);

/// Requires one line on standard error that says what was wrong, and nothing on standard output.
void require_refused(const ProgramResult& result, int status, const std::string& part);

/// A discarded value where it is none.
nlohmann::json read_json(const std::filesystem::path& path);

}  // namespace stencil_test
