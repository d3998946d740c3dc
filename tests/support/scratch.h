// Helpers for tests: paths, temporary folders, file contents, error messages, random numbers, and tests that
// cannot run on this machine.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace stencil_test {

/// Returns the path of a file in tests/reference; the folder itself for an empty name.
std::string reference_file(const std::string& name);

/// Returns the path of this build's `stencilscope`.
const char* program_file();

/// Ends the test case without a failure; ctest counts it as skipped.
[[noreturn]] void skip(const std::string& why);

/// Skips because there is no GPU or something that belongs to one; fails if STENCILSCOPE_REQUIRE_GPU=1.
[[noreturn]] void skip_without_gpu(const std::string& why);
bool requires_gpu();

/// Returns the number of tests skipped in this process.
int skipped_tests();

/// A new empty folder, removed with its contents at the end.
class ScratchFolder {
  public:
    ScratchFolder() {
        static std::atomic<int> count = 0;
        do
            folder_ = std::filesystem::temp_directory_path() /
                      ("stencilscope-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
        while (!std::filesystem::create_directory(folder_));
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }
    const std::filesystem::path& path() const { return folder_; }
    long long entries() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

  private:
    std::filesystem::path folder_;
};

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

inline std::string read_bytes(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::filesystem::path write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

/// Writes an executable shell script.
inline std::filesystem::path write_script(const std::filesystem::path& path, std::string_view text) {
    write_bytes(path, "#!/bin/sh\n" + std::string(text) + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

/// Sets or removes an environment variable during its lifetime.
class Environment {
  public:
    Environment(const char* name, std::optional<std::string> value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        put(value);
    }
    ~Environment() { put(before_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    void put(const std::optional<std::string>& value) {
        if (value)
            ::setenv(name_, value->c_str(), 1);
        else
            ::unsetenv(name_);
    }

    const char* name_;
    std::optional<std::string> before_;
};

/// A folder that is the user's cache during its lifetime.
struct OwnCache : ScratchFolder {
    Environment variable{"XDG_CACHE_HOME", path().string()};
};

/// A folder that has the user's settings during its lifetime.
struct OwnSettings : ScratchFolder {
    Environment variable{"XDG_CONFIG_HOME", path().string()};
};

/// The parts of a text between separators.
inline std::vector<std::string> parts(std::string_view text, std::string_view separator) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        all.emplace_back(text.substr(at, end - at));
        at = end + separator.size();
    }
    return all;
}

/// The items of a list "a | b | c", and the pairs of "a => b | c => d".
inline std::vector<std::string> items(std::string_view list) {
    return parts(list, " | ");
}
inline std::vector<std::pair<std::string, std::string>> pairs(std::string_view list) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& item : items(list))
        all.emplace_back(parts(item, " => ")[0], parts(item, " => ")[1]);
    return all;
}

/// Returns the message of the Error that `action` throws; empty without one. Other exceptions pass.
template <class Error, class Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Random numbers that differ in every run; after a failure main() prints what draws them again.
struct Dice {
    std::uint64_t seed = next_seed();
    std::mt19937_64 engine{seed};

    double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }
    int integer(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
    bool flip() { return integer(0, 1) == 1; }
    template <class T>
    void fill(std::span<T> values, double low, double high) {
        for (T& value : values) value = T(uniform(low, high));
    }
    std::string bytes(std::size_t count) {
        std::string result(count, '\0');
        for (char& byte : result) byte = char(integer(0, 255));
        return result;
    }
};

}  // namespace stencil_test
