// Private folders for files that other programs make.
#pragma once

#include <string>

#include "sim/files/descriptor.h"

namespace stencil {

/// A folder in $TMPDIR (/tmp) that only this user may enter, removed with the object. Throws MachineError.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    /// The bytes of a file in it; none if it cannot be read. Another folder that took this one's name is
    /// never read.
    std::string bytes_of(const char* name) const;

    /// Removes the folders of this user's processes that were killed. Failures are ignored.
    static void remove_left();

  private:
    std::string path_;
    Descriptor folder_;  ///< locked as long as the folder is in use
};

}  // namespace stencil
