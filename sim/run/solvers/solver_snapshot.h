// A solver's complete state on the host, as checkpoints store it.
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

/// A method's state besides the plain fields; empty if there is none.
struct InnerState {
    std::map<std::string, Field> arrays;
    InnerNumbers numbers;
};

/// An InnerState whose arrays are fields of a source, beginning with `first`, in the order of `names`.
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

/// A portable copy: host arrays, integers and doubles, the same on every machine.
struct SolverRecord {
    State plain;          ///< in the solver's precision; any solver can load it
    std::string method;   ///< name in the method table
    std::string backend;  ///< its device
    InnerState inner;     ///< for that method alone
    /// Cells of the components and then of the inner arrays, if they are not in the members above.
    std::shared_ptr<const RowSource> arrays = nullptr;
};

}  // namespace stencil
