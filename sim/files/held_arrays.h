// Arrays in memory that texts and events name as files: array-NXxNY-DTYPE-HASH.npy.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// By name.
using HeldArrays = std::map<std::string, std::shared_ptr<const Field>>;

/// Makes an array known by a name that says its contents, as long as somebody holds it.
HeldArrays::value_type hold_array(Field field);

/// The array whose name a path ends with; null if nobody holds one.
std::shared_ptr<const Field> held_array(const std::filesystem::path& file);

/// The names of such arrays in a text, each once.
std::vector<std::string> array_names(std::string_view text);
/// Those of them that are held.
HeldArrays arrays_named(std::string_view text);
/// Writes them into a folder.
void write_arrays_named(std::string_view text, const std::filesystem::path& folder);

/// The text of a file in a folder, with the arrays that stand beside it named by whole paths.
std::string with_arrays_beside(std::string text, const std::filesystem::path& folder);

}  // namespace stencil
