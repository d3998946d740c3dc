// Flushes the folders of several files once, after the last of them.
#pragma once

#include <filesystem>
#include <set>

namespace stencil {

/// While one lives, sync_name() on its thread only notes the folder; its end flushes each folder once. Files
/// are written to disk before they get their names all the same, so those that a power failure leaves are
/// whole.
class NamesTogether {
  public:
    NamesTogether();
    ~NamesTogether();
    NamesTogether(const NamesTogether&) = delete;
    NamesTogether& operator=(const NamesTogether&) = delete;

    /// Notes the folder if one lives on this thread.
    static bool note(const std::filesystem::path& folder);

  private:
    NamesTogether* outer_;
    std::set<std::filesystem::path> folders_;
};

}  // namespace stencil
