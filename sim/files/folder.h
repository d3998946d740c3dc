// Folders for what a run writes.
#pragma once

#include <filesystem>
#include <string>

namespace stencil {

/// Throws InputError, beginning with `what`, where this file could not be written: found out before the work
/// rather than after it.
void require_writable(const std::filesystem::path& file, const std::string& what);

/// Makes the folder and those above it. Throws InputError where it can't, or where nothing can be written
/// there; `setting` names it in the message ("--out").
void make_folder(const std::filesystem::path& folder, const std::string& setting);

}  // namespace stencil
