// Output folders.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "sim/files/atomic_file.h"
#include "sim/files/descriptor.h"
#include "sim/text/error.h"

namespace stencil {

/// Throws InputError, about the setting that names the file, if it cannot be written. Called before long
/// work.
void require_writable(const std::filesystem::path& file,
                      const Given& given,
                      Links links = Links::replaced,
                      std::string_view what = "file");

/// Throws InputError if writing `file`, which the setting names, would replace an input, whatever its name.
void require_not_input(const std::filesystem::path& file,
                       std::string_view setting,
                       std::span<const std::string> inputs);

/// Checks --json FILE before any work; an empty path is accepted. It must be writable and no input, and
/// within the results folder end in .json but not be spec.json. Throws InputError.
void check_json_file(const std::filesystem::path& file,
                     const std::filesystem::path& results,
                     std::span<const std::string> inputs);

/// Creates the folder and its parents and removes leftovers of killed processes. Throws InputError if it
/// cannot be created or written to.
void make_folder(const std::filesystem::path& folder, std::string_view setting);

/// Creates a folder within a folder of results, as make_folder() does. Throws InputError for a symbolic link,
/// because files written through it would land elsewhere.
void make_inner_folder(const std::filesystem::path& folder, std::string_view setting);

/// Locks an existing folder for one run at a time, until the result or this process ends. Throws InputError
/// if another process holds it; file systems without locks are not protected.
Descriptor lock_folder(const std::filesystem::path& folder, std::string_view setting);

/// The folder, or the first of FOLDER-2, FOLDER-3 ... that contains none of these files.
std::filesystem::path unused_folder(const std::filesystem::path& folder, std::span<const std::string> files);

/// Expands "~/fields/a.npy" as a shell would.
std::string expanded_home(std::string path);

/// A file in the user's settings folder, $XDG_CONFIG_HOME/stencilscope (~/.config); empty if there is no such
/// folder.
std::optional<std::filesystem::path> user_file(const std::string& name);

/// The user's cache folder $XDG_CACHE_HOME/stencilscope (~/.cache), which may not exist yet; empty if the
/// environment names none.
std::optional<std::filesystem::path> user_cache_folder();

/// Renames a folder within its parent and flushes that to disk. The new name must be free. Throws
/// MachineError.
void rename_folder(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace stencil
