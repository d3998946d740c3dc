// Files that have no place on a disk.
#pragma once

#include <string>
#include <string_view>

#include "sim/files/descriptor.h"

namespace stencil {

/// Goes with the object, whoever has its name. Throws MachineError.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes = {});
    /// Zeros that can be written over, and no more: whoever writes beyond them is refused.
    static MemoryFile of_size(std::size_t bytes);
    /// At the beginning of the file until somebody reads from it.
    int descriptor() const { return descriptor_.number(); }
    /// By which this process opens it.
    std::string name() const;
    std::string text() const;

  private:
    Descriptor descriptor_;
};

}  // namespace stencil
