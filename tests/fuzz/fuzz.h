// libFuzzer targets: each *_fuzz.cpp is a program that feeds a reader, and checks that accepted input
// survives writing and reading again. Sanitizers find other errors. scripts/fuzz builds and runs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil_fuzz {

/// Defined by each target.
void run_one(std::string_view input);
/// Small valid inputs to start from.
std::vector<std::string> seeds();

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
