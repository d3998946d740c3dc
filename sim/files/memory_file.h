// Files that have no place on a disk.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// Goes with the object, whoever has its name. Throws MachineError.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes = {});
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// At the beginning of the file until somebody reads from it.
    int descriptor() const { return descriptor_; }
    /// By which this process opens it.
    std::string name() const;
    std::string text() const;

  private:
    int descriptor_;
};

}  // namespace stencil
