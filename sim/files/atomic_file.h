// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stencil {

/// Writes beside `path` under a temporary name and takes the name `path` in commit(), after everything has
/// reached the disk; without commit() (an exception, say) nothing is left behind and an older file of that
/// name stays. Every failure throws MachineError with the path and the system's reason. A symbolic link is
/// followed; what is no regular file (a folder, /dev/null) is refused.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void commit();

  private:
    [[noreturn]] void fail(int error_number) const;

    std::filesystem::path path_;    ///< as given, for messages
    std::filesystem::path target_;  ///< what it stands for where it is a symbolic link
    std::string temporary_;         ///< empty while the file has no name (O_TMPFILE) and after commit()
    int descriptor_ = -1;
};

/// The whole text as a file, atomically.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace stencil
