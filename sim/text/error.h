// The two ways a command can fail. Each message is one line: what is wrong and what is allowed.
#pragma once

#include <fmt/core.h>

#include <stdexcept>

namespace stencil {

/// An error whose message is a text, or is formatted by fmt from a text and its values.
struct FormattedError : std::runtime_error {
    using std::runtime_error::runtime_error;
    template <class First, class... Rest>
    FormattedError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::vformat(text, fmt::make_format_args(first, rest...))) {}
};

/// The request is invalid on any machine (exit status 2).
struct InputError : FormattedError {
    using FormattedError::FormattedError;
};

/// The machine failed: out of memory, disk full, CUDA error (exit status 1).
struct MachineError : FormattedError {
    using FormattedError::FormattedError;
};

}  // namespace stencil
