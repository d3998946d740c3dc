// Standard output and standard error. Neither ends the program where it cannot be written: notes are dropped
// then, and lost output is found out at the end.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace stencil {

/// Before anything is opened: where one of the three standard files is closed, the first file that is opened
/// would take its place and be printed into. Writing to the stand-in fails, as to a closed one.
void reserve_standard_files();

void print_text(std::string_view text);  ///< to standard output
void note_text(std::string_view text);   ///< to standard error

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
    print_text(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
    note_text(fmt::format(format, std::forward<Args>(args)...));
}

/// "wrote PATH (SIZE)", a line each.
void print_written(std::span<const std::filesystem::path> files);

/// Throws MachineError where anything that was printed did not arrive.
void require_printed();

}  // namespace stencil
