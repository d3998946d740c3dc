// Atomic file writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "sim/files/descriptor.h"
#include "sim/text/error.h"

namespace stencil {

/// Thrown if a file cannot be written.
struct FileError : MachineError {
    using MachineError::MachineError;
};

/// How a file treats a symbolic link at its path.
enum class Links {
    replaced,  ///< the file takes the link's place: a stranger may have put the link into a folder of results
    followed,  ///< the link stays and its target is written, also a pipe or device: the user named this path
};

/// Returns what the links of this path lead to: a file, an unused name or an open file (/proc/self/fd/1).
std::filesystem::path link_target(std::filesystem::path path);

/// Returns this process's descriptor that the path names, as /dev/stdout does; -1: none.
int descriptor_named(const std::filesystem::path& path);

/// Writes to a temporary file beside `path`, which commit() flushes and renames. Without commit() nothing is
/// left behind and an older file stays. The temporary has no name where the file system allows it, else a
/// hidden one, which a killed process may leave behind (see remove_leftovers()). Failures throw FileError
/// with the path and the system's reason. A file that is replaced passes its mode on. Folders are refused,
/// devices and pipes unless links are followed.
class AtomicFile {
  public:
    /// `named` is for libraries and other processes that open the file by name; the name is unique across
    /// machines.
    enum class Temporary { nameless, named };
    explicit AtomicFile(std::filesystem::path path,
                        Temporary temporary = Temporary::nameless,
                        Links links = Links::replaced);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    /// A path that other libraries or child processes can open for writing.
    std::string open_name() const;
    /// Flushes the file to disk and gives it its name.
    void commit();
    /// Throws FileError with the path and this reason.
    [[noreturn]] void fail(const std::string& reason) const;

  private:
    [[noreturn]] void fail(int error_number) const;

    std::filesystem::path path_;    ///< as given, for messages
    std::filesystem::path target_;  ///< path_, or what its links lead to
    bool in_place_ = false;         ///< the target is no regular file: commit() writes the bytes into it
    std::string temporary_;         ///< empty for a nameless file (O_TMPFILE) and after commit()
    Descriptor descriptor_;
};

/// Flushes a renamed file's folder to disk. Failures are ignored: some file systems cannot, and a folder may
/// be writable but not readable.
void sync_name(const std::filesystem::path& path);

/// A private folder in $TMPDIR (/tmp) for files that another program makes, removed with the object. A killed
/// process may leave it behind (see remove_leftovers()). Throws MachineError.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    /// Returns the bytes of a file in this folder, even if another folder has been put at its path; empty if
    /// the file cannot be read.
    std::string bytes_of(const char* name) const;

  private:
    std::string path_;
    Descriptor folder_;
};

/// Removes hidden files, and this user's temporary folders, of processes that no longer run or, on other
/// machines, no longer hold the lock. Failures are ignored.
void remove_leftovers(const std::filesystem::path& folder);

/// Writes a text file atomically.
void write_text_file(const std::filesystem::path& path, std::string_view text, Links links = Links::replaced);

}  // namespace stencil
