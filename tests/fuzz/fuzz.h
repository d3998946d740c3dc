// Each *_fuzz.cpp feeds a reader, and checks that accepted input survives writing and reading again.
// Sanitizers find other errors. scripts/fuzz makes a libFuzzer program of each; with AddressSanitizer the
// tests run them on altered seeds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil_fuzz {

/// A reader under test. Each *_fuzz.cpp has one in a constant, which adds itself to targets().
struct Target {
    using Repair = void(std::uint8_t* data, std::size_t size);

    const char* name;
    void (*run_one)(std::string_view input);
    std::vector<std::string> (*seeds)();  ///< small valid inputs to start from
    Repair* repair;                       ///< mends an altered input, so that it gets further; may be null

    Target(const char* name,
           void (*run_one)(std::string_view),
           std::vector<std::string> (*seeds)(),
           Repair* repair = nullptr);
};
/// Returns the targets that this program has.
std::vector<Target>& targets();

/// Returns an in-memory file with these bytes, valid until the next call.
std::filesystem::path as_file(std::string_view bytes);
/// Returns a file for writing and reading again; in memory if possible.
std::filesystem::path scratch_file();
/// Returns the bytes of a file in tests/reference.
std::string reference_bytes(const char* name);

/// Returns false if `read` refused its input properly: by an InputError with a reason, or for lack of memory.
bool accepted(const std::function<void()>& read);

/// Aborts unless `holds`.
void require(bool holds, const char* what, const std::string& was = "", const std::string& is = "");

}  // namespace stencil_fuzz
