// Everything that a solver goes on from, on the host: what a checkpoint on disk is made of.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/methods/inner_state.h"
#include "sim/field/row_source.h"
#include "sim/field/state.h"

namespace stencil {

/// What a method keeps from call to call that the plain fields do not say. Both are empty where there is
/// nothing.
struct InnerState {
    std::map<std::string, Field> arrays;
    InnerNumbers numbers;
};

/// The same with the cells of its arrays elsewhere: from `first` on, in the order of their names.
struct InnerRows {
    InnerNumbers numbers;
    std::vector<std::string> names;
    const RowSource& arrays;
    std::size_t first = 0;

    std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return std::nullopt;
        return first + std::size_t(found - names.begin());
    }
};

/// Portable: host arrays, integers and doubles, the same on every machine.
struct SolverSnapshot {
    State plain;          ///< in the solver's precision; any solver can go on from it
    std::string method;   ///< a row of the method table, by name
    std::string backend;  ///< and device
    InnerState inner;     ///< for that method alone
    /// The cells of the plain components, and after them of the inner arrays, where they are not in those.
    std::shared_ptr<const RowSource> arrays = nullptr;
};

}  // namespace stencil
