// Finds the name that a user probably meant.
#pragma once

#include <algorithm>
#include <concepts>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/text/error.h"

namespace stencil {

/// Returns the nearest known name (fewest insertions, deletions, substitutions and swaps of neighbours,
/// ignoring case); empty if none is near.
std::string nearest_name(std::string_view given, std::span<const std::string> known);

/// Returns "unknown method 'tilde': did you mean 'tiled'? (allowed: reference, cpu, ...)".
std::string unknown_name_message(std::string_view kind,
                                 std::string_view given,
                                 std::span<const std::string> known);

template <class List, class Value>
requires(!std::convertible_to<const List&, std::string_view>) bool contains(const List& list,
                                                                            const Value& value) {
    return std::ranges::find(list, value) != std::ranges::end(list);
}

/// Returns the names of a table's rows.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.emplace_back(row.name);
    return names;
}

/// Returns the named row of a table that outlives it. Throws InputError with the message above.
template <class Rows>
const auto& row_named(const Rows& rows,
                      std::string_view kind,
                      std::string_view name,
                      std::string_view setting = "") {
    for (const auto& row : rows)
        if (row.name == name) return row;
    throw InputError(Given{setting}, unknown_name_message(kind, name, names_of(rows)));
}

}  // namespace stencil
