// Standard output and standard error. A failed write does not end the program: notes are dropped, and lost
// output is reported by require_printed().
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace stencil {

/// Call it before any file is opened. If one of the three standard files is closed, the next opened file
/// would get its descriptor and be printed into; this puts in a stand-in to which writing fails.
void reserve_standard_files();

/// From now on prints to standard error if this file of results is standard output, so that it stays
/// readable.
void print_beside(const std::filesystem::path& file);

/// Both replace control characters, which names and texts of others may contain, but for tabs and line ends.
void print_text(std::string_view text);  ///< writes to standard output
void note_text(std::string_view text);   ///< writes to standard error
/// Draws over the present line of a terminal on standard error; an empty text clears it.
void draw_line(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
    print_text(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
    note_text(fmt::format(format, std::forward<Args>(args)...));
}

/// Prints a line "wrote PATH (SIZE)" for each file.
void print_written(std::span<const std::filesystem::path> files);

/// Throws MachineError if any output was lost.
void require_printed();

}  // namespace stencil
