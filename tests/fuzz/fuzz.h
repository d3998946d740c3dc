// libFuzzer targets: each *_fuzz.cpp is one program that feeds its reader with anything, and checks that what
// was read, written and read again is equal. scripts/fuzz builds and runs them. Sanitizers find the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil_fuzz {

/// What a target defines.
void run_one(std::string_view input);
/// Small valid inputs to start from.
std::vector<std::string> seeds();

/// A file that holds these bytes until the next call, without touching a disk.
std::filesystem::path as_file(std::string_view bytes);
/// For what is written and read again; in memory where the machine allows.
std::filesystem::path scratch_file();
/// The bytes of a file of tests/reference.
std::string reference_bytes(const char* name);

/// False where `read` refused its input, as readers may: InputError with a reason, or this machine is too
/// small.
bool accepted(const std::function<void()>& read);

/// Ends the run where `holds` is false.
void require(bool holds, const char* what, const std::string& was = "", const std::string& is = "");

}  // namespace stencil_fuzz
