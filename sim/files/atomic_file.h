// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "sim/text/error.h"

namespace stencil {

/// A file could not be written.
struct FileError : MachineError {
    using MachineError::MachineError;
};

/// Writes beside `path` without a name, or under a hidden one where the file system has no nameless files,
/// and takes the name `path` in commit(), after everything has reached the disk; without commit() (an
/// exception, say) nothing is left behind and an older file of that name stays. A process that is killed may
/// leave its hidden file (between the two names in commit(), or where there are no nameless files): see
/// remove_leftovers(). Every failure throws FileError with the path and the system's reason. A symbolic
/// link is followed; what is no regular file (a folder, /dev/null) is refused.
class AtomicFile {
  public:
    /// Named: for libraries that open files by true names alone, and for other processes. No other file has
    /// that name, on whatever machine, so that whoever can open it has the same.
    enum class Temporary { nameless, named };
    explicit AtomicFile(std::filesystem::path path, Temporary temporary = Temporary::nameless);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    /// By which a library, or a program that this one has started, can open it, to write it.
    std::string open_name() const;
    /// After this the file and its name are on the disk.
    void commit();
    /// Throws what every failure here does.
    [[noreturn]] void fail(const std::string& reason) const;

  private:
    [[noreturn]] void fail(int error_number) const;

    std::filesystem::path path_;    ///< as given, for messages
    std::filesystem::path target_;  ///< what it stands for where it is a symbolic link
    std::string temporary_;         ///< empty while the file has no name (O_TMPFILE) and after commit()
    int descriptor_ = -1;
};

/// Brings the name of a file or folder to the disk. Fails in silence: some file systems cannot, and a folder
/// may be writable and not readable.
void sync_name(const std::filesystem::path& path);

/// Removes the hidden files in the folder whose process is gone: it is not running, and it does not hold the
/// file's lock on another machine either. Fails in silence.
void remove_leftovers(const std::filesystem::path& folder);

/// The whole text as a file, atomically.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace stencil
