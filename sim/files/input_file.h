// Files that are read: every failure is an InputError, one line that starts with the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace stencil {

class InputFile {
  public:
    /// Throws InputError where there is no such file, where it is a folder, a pipe or a device, or can't be
    /// opened.
    explicit InputFile(const std::filesystem::path& path);

    std::uintmax_t size() const { return size_; }
    /// Fills `bytes` from where the last read ended; throws InputError where the file ends before that.
    void read(std::span<std::byte> bytes);
    /// Throws InputError "PATH: WHAT".
    [[noreturn]] void refuse(std::string_view what) const;

  private:
    std::string name_;
    std::ifstream stream_;
    std::uintmax_t size_ = 0;
};

/// A piece of a file's own text for an error message: printable, on one line and not too long.
std::string quotable(std::string_view text);

}  // namespace stencil
