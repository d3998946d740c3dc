// The example workloads: a table.
#pragma once

#include <span>
#include <string_view>

namespace stencil {

struct Example {
    std::string_view name;
    std::string_view summary;
};

/// All examples, in the order in which they are listed.
std::span<const Example> examples();

}  // namespace stencil
