// File descriptors that are closed with their objects, and files in memory (memfd).
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stencil {

class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    /// Hands the descriptor to the caller, who must close it.
    int release() { return std::exchange(number_, -1); }
    void close() {
        if (number_ >= 0) ::close(release());
    }

  private:
    int number_;
};

/// Write all bytes at the file's position or, in the second form, at an offset. False, with the reason in
/// errno, if that fails.
bool write_all(int descriptor, std::span<const std::byte> bytes);
bool write_all(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset);
/// Flushes a file to disk, as far as its file system can. False, with the reason in errno, if that fails.
bool flush(int descriptor);

/// An anonymous file that exists as long as the object. Throws MachineError.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes = {});
    /// A file of zeros with fixed size: writing beyond its end fails.
    static MemoryFile of_size(std::size_t bytes);
    /// Positioned at the beginning until someone reads from it.
    int descriptor() const { return descriptor_.number(); }
    /// A path by which this process can open it.
    std::string name() const;
    std::string text() const;

  private:
    Descriptor descriptor_;
};

}  // namespace stencil
