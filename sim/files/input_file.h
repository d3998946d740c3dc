// Files that are read: every failure is an InputError, one line that starts with the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
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
    /// As many of the next bytes as there are, and how many those are; an error ends the file.
    std::size_t read_some(std::span<std::byte> bytes);
    /// The next read is from there.
    void seek(std::uintmax_t offset);
    void rewind() { std::rewind(stream()); }
    /// For libraries that read it themselves.
    std::FILE* stream() const { return stream_.get(); }
    /// The whole file, from its start; throws InputError where it is longer than `max_bytes`.
    std::string read_text(std::uintmax_t max_bytes = std::numeric_limits<std::uintmax_t>::max());
    /// Throws InputError "PATH: WHAT", the path made printable.
    [[noreturn]] void refuse(std::string_view what) const;

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string name_;
    std::unique_ptr<std::FILE, Close> stream_;
    std::uintmax_t size_ = 0;
};

}  // namespace stencil
