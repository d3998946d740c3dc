// Folders for what a run writes.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "sim/files/descriptor.h"

namespace stencil {

/// Throws InputError, beginning with `what`, where this file could not be written: found out before the work
/// rather than after it.
void require_writable(const std::filesystem::path& file, const std::string& what);

/// Throws InputError where writing `file` would replace one of the inputs, under whatever name; `what` names
/// it in the message ("--json").
void require_not_input(const std::filesystem::path& file,
                       const std::string& what,
                       std::span<const std::string> inputs);

/// What a command asks of its --json FILE before any work; an empty path is no file. It must be writable,
/// none of the command's inputs, and in its folder of results nothing else that it writes there: a name that
/// ends in .json but for spec.json. Throws InputError.
void check_json_file(const std::filesystem::path& file,
                     const std::filesystem::path& results,
                     std::span<const std::string> inputs);

/// Makes the folder and those above it. Throws InputError where it can't, or where nothing can be written
/// there; `setting` names it in the message ("--out"). Removes what killed processes left in it.
void make_folder(const std::filesystem::path& folder, const std::string& setting);

/// A lock on a folder that is there: one run at a time writes into it. It lasts as long as the result, and
/// ends with this process however that ends. Throws InputError where another process has it; file systems
/// without locks do without.
Descriptor lock_folder(const std::filesystem::path& folder, const std::string& setting);

/// The folder, or the first of FOLDER-2, FOLDER-3 ... that holds none of these files, so that writing them
/// replaces nothing.
std::filesystem::path unused_folder(const std::filesystem::path& folder, std::span<const std::string> files);

/// "~/fields/a.npy" as a shell would expand it.
std::string expanded_home(std::string path);

/// A file of the user's settings: $XDG_CONFIG_HOME/stencilscope/NAME (~/.config/...); empty where there is no
/// such folder.
std::optional<std::filesystem::path> user_file(const std::string& name);

/// Where what can be made again is kept: $XDG_CACHE_HOME/stencilscope (~/.cache/...), which may not be there
/// yet; empty where the environment names none.
std::optional<std::filesystem::path> user_cache_folder();

/// Gives a folder another name beside it, on the disk too when this returns. There must be nothing of the new
/// name. Throws MachineError.
void rename_folder(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace stencil
