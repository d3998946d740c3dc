// Runs the program as a user does.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/text/json.h"
#include "tests/support/scratch.h"

namespace stencil_test {

struct ProgramResult {
    int status = -1;  ///< exit status, or 128 + signal
    std::string out;
    std::string err;
};

struct ProgramOptions {
    double interrupt_after = 0;  ///< > 0: send the signal after so many seconds of processor time
    std::filesystem::path interrupt_once = {};  ///< not empty: send the signal when this file exists
    int signal = SIGINT;
    const char* out = nullptr;        ///< file to use as standard output; "" closes it
    const char* err = nullptr;        ///< likewise for standard error
    bool ignores_interrupts = false;  ///< as in a script's background job
    int seconds = 0;                  ///< > 0: killed after this time
    long long file_size_limit = -1;   ///< >= 0: largest file size in bytes, like a full disk
};

using Words = std::vector<std::string>;

/// Runs stencilscope with these arguments.
ProgramResult run_program(const Words& arguments, const ProgramOptions& options = {});

/// Splits a command line at its spaces; each {} is replaced by the next value. There is no quoting.
Words words_with(std::string_view line, std::span<const std::string> values);

template <class Value>
std::string word_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
        return std::to_string(value);
    else
        return std::filesystem::path(value).string();
}

/// Accepts paths, texts and numbers as values, which may be empty and contain spaces.
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

/// Requires exit status 0, and returns its argument.
ProgramResult require_done(ProgramResult result);

/// Returns a process's user and system time in seconds, which does not depend on the machine's load.
double processor_time(pid_t process);

/// Requires this exit status, one line on standard error that contains `part`, and no standard output.
void require_refused(const ProgramResult& result, int status, const std::string& part);

/// Returns a discarded value if the file is no JSON.
nlohmann::json read_json(const std::filesystem::path& path);

/// Requires that an object has these members with these values.
void require_members(const nlohmann::json& object, const nlohmann::json& expected);

/// Returns the sorted names of what is in a folder.
Words names_in(const std::filesystem::path& folder);

/// Returns the lines of a file that ends with a newline.
Words lines_of(const std::filesystem::path& file);

/// Bytes of files by their paths below a folder.
using Files = std::map<std::string, std::string>;
Files files_below(const std::filesystem::path& folder,
                  const std::function<bool(const std::string& path)>& is_wanted);
void require_same_files(const Files& a, const Files& b);

/// Requires that a run of a text by the program has the fields and events of one that is cut after some steps
/// and resumed by one thread, and of one that is repeated from its spec.json; their folders are whole, cut
/// and same.
void require_program_repeats(
    const ScratchFolder& folder, const std::string& text, const std::string& options, int steps, int cut);

/// Returns a hash of the fields at the end of a run that exported field.npy, which is much quicker than to
/// export timings.json for its hash.
std::uint64_t hash_of_fields(const std::filesystem::path& folder);

}  // namespace stencil_test
