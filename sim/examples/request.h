// What can be asked of every example, and a request as the words that a person would type.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/examples/example.h"

namespace stencil {

/// An option that all examples have.
struct RequestOption {
    std::string_view name;   ///< without its dashes
    std::string_view value;  ///< what stands for the value in the help
    std::string_view help;
    const char* standard;                       ///< the default, for people
    std::span<const std::string_view> choices;  ///< besides the default; empty: anything that it understands
    /// Throws InputError, one line with what is allowed.
    void (*set)(ExampleRequest&, const std::string& text);
    /// As it would be typed; empty where the request has the default.
    std::string (*text)(const ExampleRequest&);
};

/// backend, dtype, repeats, threads, memory-limit.
std::span<const RequestOption> request_options();

/// As --dtype takes it: "float32", "both"; empty for none.
std::string dtype_text(std::span<const DType> dtypes);

/// "stencilscope example ridge --rows 500 --backend cpu": what repeats the request, quoted for a shell. What
/// is at its default is left out.
std::string command_text(const ExampleRequest& request);

}  // namespace stencil
