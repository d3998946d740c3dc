// Files in memory (memfd).
#pragma once

#include <string>
#include <string_view>

#include "sim/files/descriptor.h"

namespace stencil {

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
