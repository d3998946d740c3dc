// Names that people type: finding the one they meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

/// The known name nearest to the given one (fewest insertions, deletions, substitutions and swaps of
/// neighbours, ignoring case); empty where none is near enough to be meant.
std::string nearest_name(std::string_view given, std::span<const std::string> known);

/// "unknown method 'tilde': did you mean 'tiled'? (allowed: reference, cpu, ...)"
std::string unknown_name_message(std::string_view kind,
                                 std::string_view given,
                                 std::span<const std::string> known);

}  // namespace stencil
