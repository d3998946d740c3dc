// Input files. Every failure is an InputError of one line that begins with the path.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stencil {

class InputFile {
  public:
    /// Opens a file. `-`, /dev/stdin and /dev/fd/N may be pipes: these are read once, whole, and kept for the
    /// next reader of the same name. Throws InputError if the file is missing, cannot be opened, or is a
    /// folder or another pipe or device.
    explicit InputFile(const std::filesystem::path& path);
    /// Reads from memory; `name` is for messages.
    InputFile(std::string name, std::shared_ptr<const std::string> bytes);

    std::uintmax_t size() const { return size_; }
    /// Fills `bytes` from the current position. Throws InputError if the file is too short.
    void read(std::span<std::byte> bytes);
    /// Reads up to bytes.size() bytes and returns their number; treats an error as the end.
    std::size_t read_some(std::span<std::byte> bytes);
    /// Sets the position of the next read.
    void seek(std::uintmax_t offset);
    void rewind() { std::rewind(stream()); }
    /// For libraries that read the file themselves.
    std::FILE* stream() const { return stream_.get(); }
    /// Reads the whole file from its start. Throws InputError if it is longer than `max_bytes`.
    std::string read_text(std::uintmax_t max_bytes = std::numeric_limits<std::uintmax_t>::max());
    /// Throws InputError "PATH: WHAT" with the path made printable.
    [[noreturn]] void refuse(std::string_view what) const;

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void hold(std::shared_ptr<const std::string> bytes);

    std::string name_;
    std::shared_ptr<const std::string> bytes_;  ///< null: a file of the file system
    std::unique_ptr<std::FILE, Close> stream_;
    std::uintmax_t size_ = 0;
};

/// The pipes that this process has read, by the numbers of their descriptors; another process may keep them,
/// and reads them from then on.
using Streams = std::vector<std::pair<int, std::string>>;
Streams read_streams();
void keep_streams(const Streams& streams);

/// Whether the name is `-` or an open pipe or device of this process, such as /dev/stdin.
bool is_stream(const std::filesystem::path& path);

}  // namespace stencil
